import type { MemberMedia } from '../../media/channel.ts'
import type { EncodedAudioPacket } from '../media-types.ts'
import type { ViewerMix } from '../mixer/audio-mixer.ts'
import { ExpectedLoss } from '../mixer/expected-loss.ts'

interface Listener {
  /** Null for a feed, which hears one mix. */
  memberId: string | null
  loss: ExpectedLoss
  mix: HeardMix | null
}

interface HeardMix extends ViewerMix {
  id: number
  listeners: Set<string>
}

export interface ServedSoundOptions {
  /** Asks for a mix. @returns its number */
  hear: (mix: ViewerMix) => number
  unhear: (mixId: number) => void
  onPacket: (listenerId: string, packet: EncodedAudioPacket) => void
}

/**
 * The sound of a room that is mixed elsewhere, for listeners who are not heard, and for feeds to other workers. Those who
 * hear the same share a mix.
 */
export class ServedSound {
  readonly #options: ServedSoundOptions
  readonly #members = new Map<string, MemberMedia>()
  readonly #listeners = new Map<string, Listener>()
  readonly #mixes = new Map<number, HeardMix>()

  constructor(options: ServedSoundOptions) {
    this.#options = options
  }

  setMember(member: MemberMedia): void {
    this.#members.set(member.memberId, member)
    this.#regroupMember(member.memberId)
  }

  removeMember(memberId: string): void {
    this.#members.delete(memberId)
    this.#regroupMember(memberId)
  }

  /** A listener that is there already is kept. */
  addListener(listenerId: string, memberId: string): void {
    const known = this.#listeners.get(listenerId)
    const listener = known ?? { memberId, loss: new ExpectedLoss(), mix: null }
    listener.memberId = memberId
    this.#listeners.set(listenerId, listener)
    this.#regroup(listenerId, listener)
  }

  /** Hears one mix from now on, whatever becomes of members. */
  addMix(listenerId: string, mix: ViewerMix): void {
    const listener: Listener = { memberId: null, loss: new ExpectedLoss(), mix: null }
    this.#listeners.set(listenerId, listener)
    this.#join(listenerId, listener, mix)
  }

  removeListener(listenerId: string): void {
    const listener = this.#listeners.get(listenerId)
    this.#listeners.delete(listenerId)
    if (listener) this.#leave(listenerId, listener)
  }

  /** What the listener reports as lost, in percent. */
  setExpectedLoss(listenerId: string, percent: number): void {
    const listener = this.#listeners.get(listenerId)
    if (!listener) return
    listener.loss.report(percent)
    this.#regroup(listenerId, listener)
  }

  /** Gives one packet of a mix to all who hear it. */
  publish(mixId: number, packet: EncodedAudioPacket): void {
    const mix = this.#mixes.get(mixId)
    if (mix) for (const listenerId of mix.listeners) this.#options.onPacket(listenerId, packet)
  }

  #regroupMember(memberId: string): void {
    for (const [listenerId, listener] of this.#listeners)
      if (listener.memberId === memberId) this.#regroup(listenerId, listener)
  }

  #regroup(listenerId: string, listener: Listener): void {
    const member = this.#members.get(listener.memberId ?? '')
    const deaf = !member || member.deaf || member.held === true
    const lossPercent = deaf ? 0 : listener.loss.percent
    this.#join(listenerId, listener, { deaf, volume: deaf ? 0 : member.outputVolume, lossPercent })
  }

  #join(listenerId: string, listener: Listener, wanted: ViewerMix): void {
    if (listener.mix && isSame(listener.mix, wanted)) return
    const mix = this.#mixOf(wanted)
    this.#leave(listenerId, listener)
    listener.mix = mix
    mix.listeners.add(listenerId)
  }

  #mixOf(wanted: ViewerMix): HeardMix {
    for (const mix of this.#mixes.values()) if (isSame(mix, wanted)) return mix
    const mix = { ...wanted, id: this.#options.hear(wanted), listeners: new Set<string>() }
    this.#mixes.set(mix.id, mix)
    return mix
  }

  #leave(listenerId: string, listener: Listener): void {
    const { mix } = listener
    if (!mix) return
    listener.mix = null
    mix.listeners.delete(listenerId)
    if (mix.listeners.size > 0) return
    this.#mixes.delete(mix.id)
    this.#options.unhear(mix.id)
  }
}

function isSame(a: ViewerMix, b: ViewerMix): boolean {
  return a.deaf === b.deaf && a.volume === b.volume && a.lossPercent === b.lossPercent
}
