/** Path of a playlist, with its signature in it. */
const PLAYLIST = /^\/media\/[^/]+\/hls\/[^/]+\/[^/]+\/index\.m3u8$/

/**
 * The path of the playlist that a link names.
 * @param origin of the page: nothing is played from elsewhere
 * @returns null for anything else
 */
export function playlistOf(link: string, origin: string): string | null {
  if (!URL.canParse(link, origin)) return null
  const url = new URL(link, origin)
  return url.origin === origin && PLAYLIST.test(url.pathname) ? url.pathname : null
}
