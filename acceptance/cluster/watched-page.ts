import type { Page } from 'playwright-core'

/** The longest times without a new picture, and without new sound, in milliseconds. */
export interface Gaps {
  pictureMs: number
  soundMs: number
}

declare global {
  interface Window {
    /** The longest gaps since the last call. */
    takeGaps(): Gaps
  }
}

/** Has a page measure what it shows and hears, to some 50 ms. Called before it opens anything. */
export const watchGaps = (page: Page): Promise<unknown> => page.addInitScript(watch)

/** The longest gaps of a page in a meeting since the last call. One that lasts counts. */
export const takeGaps = (page: Page): Promise<Gaps> => page.evaluate(() => window.takeGaps())

/** Runs in the page. */
function watch(): void {
  const connections = new Set<RTCPeerConnection>()
  const Native = window.RTCPeerConnection
  window.RTCPeerConnection = class extends Native {
    constructor(...options: ConstructorParameters<typeof RTCPeerConnection>) {
      super(...options)
      connections.add(this)
    }
  }

  class Gap {
    #last = performance.now()
    #longest = 0

    mark(now: number): void {
      this.#longest = Math.max(this.#longest, now - this.#last)
      this.#last = now
    }

    take(): number {
      const lasting = performance.now() - this.#last
      const longest = Math.max(this.#longest, lasting)
      this.#longest = 0
      return Math.round(longest)
    }
  }

  const [picture, sound] = [new Gap(), new Gap()]
  let shown: { video: HTMLVideoElement; frames: number } | null = null
  /** Samples that came, without those that the browser made up. */
  const heard = new WeakMap<RTCPeerConnection, number>()

  function lookAtPicture(): void {
    const video = document.querySelector<HTMLVideoElement>('.mcuContent video')
    if (!video) return
    const frames = video.getVideoPlaybackQuality().totalVideoFrames
    const isNew = shown?.video === video ? frames > shown.frames : frames > 0
    shown = { video, frames }
    if (isNew) picture.mark(performance.now())
  }

  async function listen(connection: RTCPeerConnection): Promise<void> {
    if (connection.connectionState === 'closed') {
      connections.delete(connection)
      return
    }
    let samples = 0
    for (const stats of (await connection.getStats()).values()) {
      if (stats.type === 'inbound-rtp' && stats.kind === 'audio')
        samples += stats.totalSamplesReceived - stats.concealedSamples
    }
    if (samples > (heard.get(connection) ?? 0)) sound.mark(performance.now())
    heard.set(connection, samples)
  }

  async function look(): Promise<void> {
    lookAtPicture()
    await Promise.all([...connections].map(listen))
    setTimeout(look, 50)
  }
  void look()
  window.takeGaps = () => ({ pictureMs: picture.take(), soundMs: sound.take() })
}
