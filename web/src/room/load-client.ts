import type { Video } from '@signalwire/js'

/** Loads the browser client. It is most of the page's code, and only needed once somebody joins. */
export async function loadClient(): Promise<typeof Video> {
  const client = await import('@signalwire/js')
  return client.Video
}
