/** Between two looks at the statistics. */
const lookEveryMs = 500
/** Without a new frame for this long, the picture has stopped. The server sends at least one each second, and one may be lost. */
const stoppedAfterMs = 3000

/** What is watched: the receiver of the composed picture. */
export type FrameSource = Pick<RTCRtpReceiver, 'getStats'> & {
  readonly track: Pick<MediaStreamTrack, 'readyState'>
}

/**
 * Reports when no more frames of the composed picture arrive, and when they do again. ICE notices a broken path only
 * after five seconds or more, and nothing else notices a server that lives but sends no picture.
 */
export class PictureWatch {
  readonly #changed: (flows: boolean) => void
  #timer: ReturnType<typeof setInterval> | undefined
  #source: FrameSource | null = null
  #frames = 0
  #lastFrameAtMs = 0
  #flows = true

  /** @param changed called at each change */
  constructor(changed: (flows: boolean) => void) {
    this.#changed = changed
  }

  /** Watches this receiver instead of the one before. Counts from its first frame on. */
  watch(source: FrameSource): void {
    this.stop()
    this.#source = source
    this.#timer = setInterval(() => void this.#look(source), lookEveryMs)
  }

  /** Watches nothing any more. A picture that had stopped counts as flowing. */
  stop(): void {
    clearInterval(this.#timer)
    this.#source = null
    this.#frames = 0
    this.#report(true)
  }

  async #look(source: FrameSource): Promise<void> {
    if (source.track.readyState === 'ended') return this.stop()
    const frames = framesIn(await source.getStats().catch(() => null))
    if (source !== this.#source || frames === null) return
    const nowMs = performance.now()
    if (frames !== this.#frames) {
      this.#frames = frames
      this.#lastFrameAtMs = nowMs
      this.#report(true)
    } else if (frames > 0 && nowMs - this.#lastFrameAtMs > stoppedAfterMs) this.#report(false)
  }

  #report(flows: boolean): void {
    if (flows === this.#flows) return
    this.#flows = flows
    this.#changed(flows)
  }
}

/** Frames received so far; null if the statistics do not tell. */
function framesIn(stats: RTCStatsReport | null): number | null {
  let frames: number | null = null
  stats?.forEach((entry: { type: string; kind?: string; framesReceived?: number }) => {
    if (entry.type === 'inbound-rtp' && entry.kind === 'video') frames = entry.framesReceived ?? null
  })
  return frames
}
