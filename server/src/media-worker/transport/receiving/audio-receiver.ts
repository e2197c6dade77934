import { TokenBucket } from '../../../token-bucket.ts'
import type { AudioPull, AudioSource } from '../../media-types.ts'
import { opusDurationSamples } from '../rtp/opus.ts'
import { writeNack } from '../rtp/rtcp-writer.ts'
import type { RtpPacketView } from '../rtp/rtp-packet.ts'
import { AudioJitterBuffer } from './audio-jitter-buffer.ts'
import { ReceiveStream, STREAM_RESTARTS_AT_ONCE, STREAM_RESTARTS_PER_SECOND } from './receive-stream.ts'
import { Recoveries } from './recoveries.ts'
import type { SenderClock } from './sender-clock.ts'

const CLOCK_RATE = 48_000
/** 20 ms, which our answer asks for. */
const PACKET_SAMPLES = 960
/** A packet that is later than this is useless, because the jitter buffer rarely waits longer. */
const REPAIR_WINDOW_MS = 350

export interface AudioReceiverEvents {
  /** Sends an RTCP packet to the browser. */
  sendControl(packet: Buffer): void
}

/** Receives the microphone of one leg: from RTP packets to what the mixer pulls every 20 ms. */
export class AudioReceiver implements AudioSource {
  readonly #senderSsrc: number
  readonly #clock: SenderClock
  readonly #events: AudioReceiverEvents
  readonly #recoveries = new Recoveries()
  readonly #buffer = new AudioJitterBuffer(this.#recoveries)
  readonly #nacks: number[] = []
  readonly #restarts = new TokenBucket(STREAM_RESTARTS_AT_ONCE, STREAM_RESTARTS_PER_SECOND)
  #stream: ReceiveStream | null = null
  #roundTripMs = 0
  #arrivedAtMs = 0
  #before = { packets: 0, lost: 0, recovered: 0 }
  bytes = 0
  nacksSent = 0

  /** @param senderSsrc our own, named as the sender of RTCP */
  constructor(senderSsrc: number, clock: SenderClock, events: AudioReceiverEvents) {
    this.#senderSsrc = senderSsrc
    this.#clock = clock
    this.#events = events
  }

  /** The stream as it comes in now, or null before its first packet. */
  get stream(): ReceiveStream | null {
    return this.#stream
  }

  get packets(): number {
    return this.#before.packets + (this.#stream?.packets ?? 0)
  }

  get lost(): number {
    return this.#before.lost + (this.#stream?.lost ?? 0)
  }

  get recovered(): number {
    return this.#before.recovered + (this.#stream?.recovered ?? 0)
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
    if (this.#stream?.ssrc !== packet.ssrc && !this.#begin(packet.ssrc, nowMs)) return
    this.#arrivedAtMs = nowMs
    const { buffer, payloadStart, payloadEnd, timestamp } = packet
    const extended = this.#stream!.onPacket(packet.sequence, timestamp, nowMs, false)
    if (extended < 0) return
    if (this.#stream!.hasNewGap) this.#askForMissing(nowMs)
    this.bytes += packet.payloadLength
    if (opusDurationSamples(buffer, payloadStart, payloadEnd) !== PACKET_SAMPLES) return
    const captured = this.#clock.capturedAtMs(packet.ssrc, timestamp, CLOCK_RATE)
    const capturedAtMs = captured === null ? null : Math.min(captured, nowMs)
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
    if (!this.#restarts.take(nowMs)) return false
    if (this.#stream) {
      this.#before = { packets: this.packets, lost: this.lost, recovered: this.recovered }
      this.#clock.forget(this.#stream.ssrc)
    }
    this.#stream = new ReceiveStream(ssrc, CLOCK_RATE, REPAIR_WINDOW_MS, {
      onRecovered: () => this.#recoveries.add(this.#arrivedAtMs),
      onRestart: () => this.#buffer.reset(),
    })
    this.#buffer.reset()
    return true
  }

  /** Asks for the missing packets that are due. Called every 10 ms. */
  tick(nowMs: number, roundTripMs: number): void {
    this.#roundTripMs = roundTripMs
    if (this.#stream) this.#askForMissing(nowMs)
  }

  #askForMissing(nowMs: number): void {
    const stream = this.#stream!
    this.#nacks.length = 0
    stream.collectNacks(nowMs, this.#roundTripMs, this.#nacks)
    if (this.#nacks.length === 0) return
    this.nacksSent += this.#nacks.length
    this.#events.sendControl(writeNack(this.#senderSsrc, stream.ssrc, this.#nacks))
  }
}
