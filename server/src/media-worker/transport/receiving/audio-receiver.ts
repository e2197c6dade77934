import type { AudioPull, AudioSource } from '../../media-types.ts'
import { RecentLosses } from '../recent-losses.ts'
import { opusDurationSamples } from '../rtp/opus.ts'
import type { RtpPacketView } from '../rtp/rtp-packet.ts'
import { AudioJitterBuffer } from './audio-jitter-buffer.ts'
import type { SenderClock } from './sender-clock.ts'
import { SuccessiveStreams } from './successive-streams.ts'

const CLOCK_RATE = 48_000
/** 20 ms, which our answer asks for. */
const PACKET_SAMPLES = 960
/** A packet that is later than this is useless, because the jitter buffer rarely waits longer. */
const REPAIR_WINDOW_MS = 350

export interface AudioReceiverEvents {
  /** Sends an RTCP packet to the browser. */
  sendControl: (packet: Buffer) => void
}

/** Receives the microphone of one leg: from RTP packets to what the mixer pulls every 20 ms. */
export class AudioReceiver implements AudioSource {
  /** What the microphone sends: the current stream, and counts over all of them. */
  readonly streams: SuccessiveStreams
  readonly #clock: SenderClock
  readonly #losses = new RecentLosses()
  readonly #buffer = new AudioJitterBuffer(this.#losses)
  #arrivedAtMs = 0
  bytes = 0

  /** @param senderSsrc our own, named as the sender of RTCP */
  constructor(senderSsrc: number, clock: SenderClock, events: AudioReceiverEvents) {
    this.#clock = clock
    this.streams = new SuccessiveStreams({
      clockRate: CLOCK_RATE,
      repairWindowMs: REPAIR_WINDOW_MS,
      senderSsrc,
      clock,
      sendControl: events.sendControl,
      events: {
        onRecovered: () => this.#losses.add(this.#arrivedAtMs),
        onRestart: () => this.#buffer.reset(),
      },
    })
  }

  /** Counts of 20 ms steps: all that were played, and those that were concealed during speech. */
  get heard(): { played: number; concealed: number } {
    return { played: this.#buffer.played, concealed: this.#buffer.concealed }
  }

  get targetMs(): number {
    return this.#buffer.targetMs
  }

  /** Waits at least this long, so that sound and picture stay together where the picture has to wait. */
  set leastTargetMs(delayMs: number) {
    this.#buffer.leastTargetMs = delayMs
  }

  pull(nowMs: number): AudioPull {
    return this.#buffer.pull(nowMs)
  }

  /** @param level loudness in -dBov (RFC 6464), or null where unknown */
  onPacket(packet: RtpPacketView, level: number | null, nowMs: number): void {
    const { streams } = this
    if (streams.current?.ssrc !== packet.ssrc && !this.#begin(packet.ssrc, nowMs)) return
    const stream = streams.current!
    this.#arrivedAtMs = nowMs
    const { buffer, payloadStart, payloadEnd, timestamp } = packet
    const extended = stream.onPacket(packet.sequence, timestamp, nowMs, false)
    if (extended < 0) return
    if (stream.hasNewGap) streams.askForMissing(nowMs)
    this.bytes += packet.payloadLength
    if (opusDurationSamples(buffer, payloadStart, payloadEnd) !== PACKET_SAMPLES) return
    const capturedAtMs = this.#clock.capturedAtMs(packet.ssrc, timestamp, CLOCK_RATE, nowMs)
    this.#buffer.push(
      extended,
      timestamp,
      buffer.subarray(payloadStart, payloadEnd),
      level,
      capturedAtMs,
      nowMs,
    )
  }

  /** @returns false where streams restart more often than a browser's do */
  #begin(ssrc: number, nowMs: number): boolean {
    if (!this.streams.begin(ssrc, nowMs)) return false
    this.#buffer.reset()
    return true
  }

  /** Asks for the missing packets that are due. Called every 10 ms. */
  tick(nowMs: number, roundTripMs: number): void {
    this.streams.roundTripMs = roundTripMs
    if (this.streams.current) this.streams.askForMissing(nowMs)
  }
}
