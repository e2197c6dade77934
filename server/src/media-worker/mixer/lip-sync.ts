import type { ReceivedVideoFrame } from '../media-types.ts'

/** Nothing is held back longer than this: a long delay is worse than lips that are a little off. */
const MAX_PICTURE_HOLD_MS = 500
const MAX_SOUND_HOLD_MS = 200
/** Where pictures wait for lost packets, the sound is delayed step by step; pictures are never later than it by more than this. */
const MAX_PICTURE_LAG_MS = 120
/** Sound may run this far ahead of its picture before it is held back: delay hurts a conversation more. */
const TOLERATED_SOUND_LEAD_MS = 10
/** Share of each new measurement in the running mean: at 20 to 50 a second it follows within about a second. */
const WEIGHT = 0.05
/** A delay that differs by more than this (a sender report that moved the clock, a new device) replaces the mean at once. */
const JUMP_MS = 1000

/** From capture to presentation. */
interface Delays {
  sound: RunningMean
  picture: RunningMean
}

/**
 * Keeps a member's sound and picture in sync. Sound waits in a jitter buffer, the picture does not. Both mixers report here
 * how old the media are that they present, and learn how long to hold back the earlier one. One per room, shared by both.
 * The sound of a member without pictures is not held back at all, and pictures without sound only for lost packets.
 */
export class LipSync {
  readonly #members = new Map<string, Delays>()

  /** Sound captured at `capturedAtMs` leaves the jitter buffer at `pulledAtMs` (both on the process's clock). */
  soundPulled(memberId: string, capturedAtMs: number, pulledAtMs: number): void {
    this.#delaysOf(memberId).sound.add(pulledAtMs - capturedAtMs)
  }

  /** A picture captured at `capturedAtMs` would be shown at about `shownAtMs` if nothing held it back. */
  pictureReady(memberId: string, capturedAtMs: number, shownAtMs: number): void {
    this.#delaysOf(memberId).picture.add(shownAtMs - capturedAtMs)
  }

  /**
   * When to show a picture so that it goes with the sound of its moment; without sound, when it is due by itself. Not
   * before it has arrived, not later than 500 ms after that.
   * @param leadMs shown this much before its sound, for what waiting for the next tick adds by itself
   */
  showAtMs(
    memberId: string,
    {
      capturedAtMs,
      arrivedAtMs,
      dueAtMs,
    }: Pick<ReceivedVideoFrame, 'capturedAtMs' | 'arrivedAtMs' | 'dueAtMs'>,
    leadMs: number,
  ): number {
    const soundMs = this.#members.get(memberId)?.sound.value ?? null
    let wantedMs = dueAtMs
    if (soundMs !== null && capturedAtMs !== null) {
      const withSoundMs = capturedAtMs + soundMs - leadMs
      wantedMs = clamp(dueAtMs - leadMs, withSoundMs, withSoundMs + MAX_PICTURE_LAG_MS)
    }
    return clamp(wantedMs, arrivedAtMs, arrivedAtMs + MAX_PICTURE_HOLD_MS)
  }

  /** How long the member's sound should wait after its jitter buffer, because its pictures are later still. */
  soundHoldMs(memberId: string): number {
    const delays = this.#members.get(memberId)
    const soundMs = delays?.sound.value ?? null
    const pictureMs = delays?.picture.value ?? null
    if (soundMs === null || pictureMs === null) return 0
    return clamp(pictureMs - soundMs - TOLERATED_SOUND_LEAD_MS, 0, MAX_SOUND_HOLD_MS)
  }

  /** The camera is gone: the sound need not wait for it. */
  endOfPictures(memberId: string): void {
    this.#members.get(memberId)?.picture.reset()
  }

  /** The microphone is off or gone: pictures need not wait for it. */
  endOfSound(memberId: string): void {
    this.#members.get(memberId)?.sound.reset()
  }

  removeMember(memberId: string): void {
    this.#members.delete(memberId)
  }

  #delaysOf(memberId: string): Delays {
    let delays = this.#members.get(memberId)
    if (!delays) {
      delays = { sound: new RunningMean(), picture: new RunningMean() }
      this.#members.set(memberId, delays)
    }
    return delays
  }
}

/** The first measurements count alike, so that an odd one at the beginning does not linger. */
class RunningMean {
  /** Null before the first measurement. */
  value: number | null = null
  #count = 0

  add(measuredMs: number): void {
    if (this.value === null || Math.abs(measuredMs - this.value) > JUMP_MS) {
      this.value = measuredMs
      this.#count = 1
      return
    }
    this.#count++
    this.value += (measuredMs - this.value) * Math.max(WEIGHT, 1 / this.#count)
  }

  reset(): void {
    this.value = null
  }
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value))
}
