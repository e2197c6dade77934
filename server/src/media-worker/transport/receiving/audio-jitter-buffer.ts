import type { AudioPull, AudioSource } from '../../media-types.ts'
import { RecentLosses } from '../recent-losses.ts'
import { timestampDistance } from '../rtp/serial.ts'
import { ArrivalDelays } from './arrival-delays.ts'

const PACKET_SAMPLES = 960
const PACKET_MS = 20
const SAMPLES_PER_MS = 48
const LEAST_TARGET_MS = 20
/** As long as pictures wait for lost packets at most: sound waits with them. */
const MOST_TARGET_MS = 500
/** What it waits by itself at most, and where packets are lost and come again. */
const MOST_MEASURED_TARGET_MS = 250
const MOST_MEASURED_TARGET_LOSSY_MS = 350
/** What the target is before anything was measured. */
const FIRST_TARGET_MS = 60
/** Share of packets that has to arrive in time; what is later is concealed. */
const IN_TIME_SHARE = 0.97
/** The same where packets are lost and come again. */
const IN_TIME_SHARE_LOSSY = 0.99
/** Above the measured delay, since the delay is only kept to within this. */
const MARGIN_MS = 10
const PUSHES_PER_MEASUREMENT = 10
/** Longer concealment sounds worse than silence. */
const MOST_CONCEALED = 5
/** A timestamp that far off is a new beginning of the sender's clock. */
const JUMP_SAMPLES = 48_000
const MOST_PACKETS = 64
/** How far the delay may leave the target before packets are dropped or repeated. */
const EXCESS_MS = 30
const SHORTAGE_MS = MARGIN_MS
/** So much too early that packets will be missed before usual corrections have made up for it. */
const LARGE_SHORTAGE_MS = 100
/** So much too late that single drops would take too long. */
const FLUSH_EXCESS_MS = 300
/** Between corrections, in speech and in quiet. */
const CORRECTION_INTERVAL_MS = 500
const HASTY_CORRECTION_INTERVAL_MS = 240
const QUIET_CORRECTION_INTERVAL_MS = 100
/** -dBov from which on a packet counts as quiet (RFC 6464). */
const QUIET_LEVEL = 50
/** An Opus packet of discontinuous transmission has no more. */
const QUIET_BYTES = 3

interface BufferedPacket {
  extended: number
  /** Unwrapped, 48 kHz. */
  samples: number
  payload: Buffer
  quiet: boolean
  capturedAtMs: number | null
}

/**
 * Adaptive jitter buffer of one microphone with 20 ms packets. It aims at the delay within which nearly all packets
 * arrive, retransmitted ones included, and follows that, and the sender's clock, by leaving out or repeating 20 ms,
 * if possible where it is quiet.
 */
export class AudioJitterBuffer implements AudioSource {
  readonly #losses: RecentLosses
  readonly #delays = new ArrivalDelays()
  readonly #queue: BufferedPacket[] = []
  #targetMs = FIRST_TARGET_MS
  #pushes = 0
  #playing = false
  /** Extended sequence number and time of the packet to be played next. */
  #next = -1
  #nextSamples = 0
  /** Times 20 ms that were concealed ahead, while nothing had come. */
  #concealed = 0
  #correctedAtMs = 0
  #newestSamples = 0
  #newestAtMs = 0
  #started = false
  /** The target never goes below this, whatever was measured; at most 500. */
  leastTargetMs = 0
  /** Packets that came after their time. */
  late = 0
  /** Counts of 20 ms steps: all that were played, and those that were concealed during speech. */
  played = 0
  concealed = 0
  #lastWasQuiet = true

  /** @param losses of the stream: where packets are lost and come again, nearly all of them are waited for */
  constructor(losses: RecentLosses = new RecentLosses()) {
    this.#losses = losses
  }

  /** The delay it aims at now, from the fastest arrival to the pull. */
  get targetMs(): number {
    return this.#targetMs
  }

  /** Forgets everything: another stream begins. */
  reset(): void {
    this.#delays.reset()
    this.#queue.length = 0
    this.#targetMs = FIRST_TARGET_MS
    this.#pushes = 0
    this.#started = false
    this.#stop()
  }

  /**
   * Takes a packet of 20 ms.
   * @param extended extended sequence number; each is pushed once
   * @param level loudness in -dBov (RFC 6464), or null where unknown
   */
  push(
    extended: number,
    rtpTimestamp: number,
    payload: Buffer,
    level: number | null,
    capturedAtMs: number | null,
    nowMs: number,
  ): void {
    const samples = this.#unwrap(rtpTimestamp, nowMs)
    this.#measure(samples, nowMs)
    if (this.#playing && extended < this.#next) {
      this.late++
      return
    }
    const quiet = level === null ? payload.length <= QUIET_BYTES : level >= QUIET_LEVEL
    this.#insert({ extended, samples, payload, quiet, capturedAtMs })
    if (this.#queue.length > MOST_PACKETS) this.#queue.shift()
  }

  /** Gives the next 20 ms. */
  pull(nowMs: number): AudioPull {
    const pull = this.#pull(nowMs)
    if (pull.kind === 'silence') return pull
    this.played++
    if (pull.kind === 'lost' && !this.#lastWasQuiet) this.concealed++
    return pull
  }

  #pull(nowMs: number): AudioPull {
    const head = this.#queue[0]
    if (!this.#playing) {
      if (!head || !this.#isDue(head, nowMs)) return { kind: 'silence' }
      this.#playing = true
      this.#next = head.extended
      this.#nextSamples = head.samples
    }
    if (!head) return this.#underrun()
    if (head.extended > this.#next) this.#settleConcealed(head)
    if (head.extended > this.#next) return this.#conceal(head)
    return this.#play(head, nowMs)
  }

  #unwrap(rtpTimestamp: number, nowMs: number): number {
    if (!this.#started) {
      this.#started = true
      this.#newestSamples = rtpTimestamp
      this.#newestAtMs = nowMs
    }
    const samples = this.#newestSamples + timestampDistance(this.#newestSamples >>> 0, rtpTimestamp)
    const expected = this.#newestSamples + (nowMs - this.#newestAtMs) * SAMPLES_PER_MS
    if (Math.abs(samples - expected) > JUMP_SAMPLES) {
      // The sender's clock jumped: what was measured against it means nothing.
      this.#delays.reset()
      this.#queue.length = 0
      this.#stop()
    } else if (samples < this.#newestSamples) {
      return samples
    }
    this.#newestSamples = samples
    this.#newestAtMs = nowMs
    return samples
  }

  #stop(): void {
    this.#playing = false
    this.#concealed = 0
  }

  #measure(samples: number, nowMs: number): void {
    this.#delays.add(samples / SAMPLES_PER_MS, nowMs)
    if (++this.#pushes % PUSHES_PER_MEASUREMENT > 0) return
    const isLossy = this.#losses.isLossy(nowMs)
    const share = isLossy ? IN_TIME_SHARE_LOSSY : IN_TIME_SHARE
    const mostMs = isLossy ? MOST_MEASURED_TARGET_LOSSY_MS : MOST_MEASURED_TARGET_MS
    const wantedMs = Math.min(mostMs, this.#delays.quantileMs(share) + MARGIN_MS)
    this.#targetMs = Math.min(MOST_TARGET_MS, Math.max(LEAST_TARGET_MS, this.leastTargetMs, wantedMs))
  }

  #insert(packet: BufferedPacket): void {
    const queue = this.#queue
    let at = queue.length
    while (at > 0 && queue[at - 1]!.extended > packet.extended) at--
    if (at > 0 && queue[at - 1]!.extended === packet.extended) return
    queue.splice(at, 0, packet)
  }

  /** How long after the fastest possible arrival this packet would be played now. */
  #delayMs(packet: BufferedPacket, nowMs: number): number {
    return nowMs - this.#delays.baselineMs - packet.samples / SAMPLES_PER_MS
  }

  #isDue(packet: BufferedPacket, nowMs: number): boolean {
    return this.#delayMs(packet, nowMs) >= this.#targetMs - PACKET_MS / 2
  }

  #underrun(): AudioPull {
    if (this.#concealed >= MOST_CONCEALED) {
      this.#stop()
      return { kind: 'silence' }
    }
    this.#concealed++
    return { kind: 'lost' }
  }

  /** What was concealed while nothing came may have been the packets that are now known to be lost. */
  #settleConcealed(head: BufferedPacket): void {
    const settled = Math.min(this.#concealed, head.extended - this.#next)
    this.#next += settled
    this.#nextSamples += settled * PACKET_SAMPLES
    this.#concealed = 0
  }

  #conceal(head: BufferedPacket): AudioPull {
    const missing = head.extended - this.#next
    if (missing > MOST_CONCEALED) {
      this.#next = head.extended
      this.#nextSamples = head.samples
      return { kind: 'silence' }
    }
    this.#next++
    this.#nextSamples += PACKET_SAMPLES
    const repairable = missing === 1 && head.samples === this.#nextSamples
    return repairable ? { kind: 'fec', next: head.payload } : { kind: 'lost' }
  }

  #play(head: BufferedPacket, nowMs: number): AudioPull {
    this.#concealed = 0
    if (head.samples - this.#nextSamples >= PACKET_SAMPLES && !this.#isDue(head, nowMs)) {
      // The sender itself was silent: its time passes here too.
      this.#nextSamples += PACKET_SAMPLES
      return { kind: 'silence' }
    }
    const excessMs = this.#delayMs(head, nowMs) - this.#targetMs
    // Each correction can be heard. On a good network a short one now and then is better than many.
    const isHasty = excessMs < -LARGE_SHORTAGE_MS && this.#losses.isLossy(nowMs)
    const intervalMs = isHasty ? HASTY_CORRECTION_INTERVAL_MS : CORRECTION_INTERVAL_MS
    if (excessMs < -SHORTAGE_MS && this.#mayCorrect(head, nowMs, intervalMs)) {
      return { kind: 'lost' }
    }
    let played = head
    if (excessMs > FLUSH_EXCESS_MS) {
      while (this.#queue.length > 1 && this.#delayMs(played, nowMs) > this.#targetMs) {
        this.#queue.shift()
        played = this.#queue[0]!
      }
    } else if (excessMs > EXCESS_MS && this.#queue.length > 1 && this.#mayCorrect(head, nowMs)) {
      this.#queue.shift()
      played = this.#queue[0]!
    }
    this.#queue.shift()
    this.#lastWasQuiet = played.quiet
    this.#next = played.extended + 1
    this.#nextSamples = played.samples + PACKET_SAMPLES
    return { kind: 'packet', payload: played.payload, capturedAtMs: played.capturedAtMs }
  }

  #mayCorrect(head: BufferedPacket, nowMs: number, speechIntervalMs = CORRECTION_INTERVAL_MS): boolean {
    const intervalMs = head.quiet ? QUIET_CORRECTION_INTERVAL_MS : speechIntervalMs
    if (nowMs - this.#correctedAtMs < intervalMs) return false
    this.#correctedAtMs = nowMs
    return true
  }
}
