import type { AudioSender } from './audio-sender.ts'
import type { Rendition } from './congestion/rendition-choice.ts'
import { ReceiverLoss } from './receiver-loss.ts'
import type { VideoSender } from './video-sender.ts'

/** Assumed until the first report has arrived. */
export const ASSUMED_ROUND_TRIP_MS = 100

/**
 * Adapts what a browser is sent to the loss that it reports: sound carries earlier packets once more, pictures wait for
 * repetitions. Sound and picture share the network path, so the loss of one predicts the loss of the other.
 */
export class LossRepair {
  readonly #audio: AudioSender
  readonly #video: VideoSender
  readonly #loss = new ReceiverLoss()

  constructor(audio: AudioSender, video: VideoSender) {
    this.#audio = audio
    this.#video = video
  }

  /** Of the latest report; null before the first. */
  get roundTripMs(): number | null {
    return this.#video.stream.roundTripMs ?? this.#audio.stream.roundTripMs
  }

  /**
   * Takes a report.
   * @param share of the packets that it says were lost since the one before, 0 to 1
   * @param rendition the picture that the browser gets
   */
  onReport(share: number, rendition: Rendition, nowMs: number): void {
    this.#loss.report(share, this.roundTripMs ?? ASSUMED_ROUND_TRIP_MS)
    // Where too much is sent, more of it helps nobody.
    const { redundantPackets } = this.#loss
    this.#audio.redundantPackets = rendition === 'small' && redundantPackets > 1 ? 1 : redundantPackets
    this.#delayPlayout(nowMs)
  }

  /** The browser asks for a packet of the picture once more. */
  onRequest(sequence: number, nowMs: number): void {
    this.#video.onNack(sequence, nowMs)
    this.#loss.onRequest(sequence, nowMs)
    this.#delayPlayout(nowMs)
  }

  #delayPlayout(nowMs: number): void {
    const roundTripMs = this.roundTripMs ?? ASSUMED_ROUND_TRIP_MS
    this.#video.setPlayoutDelay(this.#loss.playoutDelayMs(roundTripMs, nowMs))
  }
}
