import { type Guard, unguarded } from '../../containment.ts'
import type { MemberMedia, RoomPart } from '../../media/channel.ts'
import type { AudioSource, EncodedAudioPacket } from '../media-types.ts'
import { ExpectedLoss } from './expected-loss.ts'
import { Limiter } from './limiter.ts'
import type { LipSync } from './lip-sync.ts'
import { Microphone } from './microphone.ts'
import { TICK_SAMPLES } from './microphone-queue.ts'
import { MixGroup, type MixKind, sameKind } from './mix-group.ts'
import { TickClock } from './tick-clock.ts'
import { renderTone, type Tone } from './tones.ts'
import { Voice } from './voice.ts'
import { VoiceActivity } from './voice-activity.ts'
import { AUDIBLE_DB, volumeGain } from './volume.ts'

const TICK_MS = 20
/** Late ticks are made up for, so that sound has no gaps. After a longer stop the room goes on from now. */
const CATCH_UP_TICKS = 10
/** After its last audible tick a microphone stays in the mix this long, so that the ends of words are not cut. */
const AUDIBLE_HOLD_TICKS = 25

const TONES: Record<Tone, Float32Array> = { entry: renderTone('entry'), exit: renderTone('exit') }

export interface AudioMixerOptions {
  /** The same object as the room's video mixer has. */
  lipSync?: LipSync
  /** Whether {@link AudioMixer.playTone} plays anything. Default true. */
  tones?: boolean
  /** A packet of 20 or 60 ms for a listener, none while it hears nothing. The packet and its payload are lent for the call. */
  onPacket: (listenerId: string, packet: EncodedAudioPacket) => void
  /** The full mix of each tick: 960 samples of 48 kHz mono, -1 to 1, lent for the call. `capturedAtMs` is of the first. */
  onMix?: (pcm: Float32Array, capturedAtMs: number) => void
  /** Only on change. */
  onTalking: (memberId: string, talking: boolean) => void
  /** Contains what the mixer's own clock runs. Without it faults are the caller's. */
  guard?: Guard
}

/** What a viewer hears. */
export interface ViewerMix {
  /** Nothing at all. */
  deaf: boolean
  /** -50 to 50, as for members. */
  volume: number
  /** Loss that the packets should survive, in percent: one of the classes of {@link ExpectedLoss}. */
  lossPercent: number
}

/** The sound of a played file. */
export interface FileSound {
  /** Factor of its volume. */
  readonly gain: number
  /** Fills `target` with the 20 ms that start at `nowMs`, mono at 48 kHz. @returns whether there is anything to hear */
  render(nowMs: number, target: Float32Array): boolean
}

interface MixedMember {
  media: MemberMedia
  /** Nothing of it gets into the mix. */
  silent: boolean
  inputGain: number
  outputGain: number
  voice: Voice
  activity: VoiceActivity
  /** The loudest of its microphones in this tick. */
  levelDb: number
}

/** An input sensitivity of 0 hears nothing, however loud it is. */
const isSilent = ({ audioMuted, held, inputSensitivity }: MemberMedia) =>
  audioMuted || held === true || inputSensitivity <= 0

const hearsNothing = ({ deaf, held }: MemberMedia) => deaf || held === true

interface MixedSource {
  microphone: Microphone
  /** Ticks for which it stays in the mix without being heard. */
  audibleTicks: number
}

interface MixedListener {
  /** Null for a mix that was added by itself. */
  memberId: string | null
  /** What a listener without member hears. */
  fixed: MixKind | null
  talksBack: boolean
  loss: ExpectedLoss
  group: MixGroup | null
}

/** The room's sound: each listener hears everybody but itself. */
export class AudioMixer implements RoomPart<'audio'> {
  readonly #options: AudioMixerOptions
  readonly #members = new Map<string, MixedMember>()
  /** Keyed by the main member of a person, whose screens and devices share its voice. */
  readonly #voices = new Map<string, Voice>()
  readonly #sources = new Map<string, MixedSource>()
  readonly #listeners = new Map<string, MixedListener>()
  readonly #groups = new Set<MixGroup>()
  readonly #files = new Set<FileSound>()
  readonly #file = new Float32Array(TICK_SAMPLES)
  readonly #all = new Float32Array(TICK_SAMPLES)
  readonly #recorded = new Float32Array(TICK_SAMPLES)
  readonly #limiter = new Limiter()
  /** Lent to `onPacket` and reused. */
  readonly #packet: EncodedAudioPacket = { payload: Buffer.alloc(0), rtpTimestamp: 0, capturedAtMs: 0 }
  /** What the listener at hand needs; reused. */
  readonly #wanted: MixKind = { without: null, deaf: false, gain: 1, lossPercent: 0, longPackets: false }
  readonly #clock: TickClock
  #firstTickMs: number | null = null
  #tickNumber = -1
  #tone: Float32Array | null = null
  #tonePosition = 0
  #stopped = false

  constructor(options: AudioMixerOptions) {
    this.#options = options
    const guard = options.guard ?? unguarded
    this.#clock = new TickClock({
      periodMs: TICK_MS,
      catchUp: CATCH_UP_TICKS,
      onTick: guard('sound', (dueMs) => this.tick(dueMs)),
    })
  }

  /** A source that is there already is replaced. */
  addSource(sourceId: string, memberId: string, source: AudioSource): void {
    this.removeSource(sourceId)
    if (this.#stopped) return
    const microphone = new Microphone(memberId, source, this.#options.lipSync ?? null)
    this.#sources.set(sourceId, { microphone, audibleTicks: 0 })
  }

  removeSource(sourceId: string): void {
    this.#sources.get(sourceId)?.microphone.close()
    this.#sources.delete(sourceId)
  }

  /**
   * A listener that is there already is kept.
   * @param talksBack whether it may send sound: else it gets fewer, longer packets
   */
  addListener(listenerId: string, memberId: string, talksBack = true): void {
    const known = this.#listeners.get(listenerId)
    if (known) Object.assign(known, { memberId, talksBack })
    else this.#listen(listenerId, { memberId, fixed: null, talksBack })
  }

  /** A listener who hears everybody, as a silent viewer with these settings does. One that is there already is replaced. */
  addMix(listenerId: string, { deaf, volume, lossPercent }: ViewerMix): void {
    this.removeListener(listenerId)
    const gain = volumeGain(volume)
    const isDeaf = deaf || gain === 0
    const fixed = { without: null, deaf: isDeaf, gain: isDeaf ? 1 : gain, lossPercent, longPackets: true }
    this.#listen(listenerId, { memberId: null, fixed, talksBack: false })
  }

  removeListener(listenerId: string): void {
    const listener = this.#listeners.get(listenerId)
    if (listener) this.#leaveGroup(listenerId, listener)
    this.#listeners.delete(listenerId)
  }

  /** Adds a member or replaces what is known about it. Sources of unknown members are not heard. */
  setMember(media: MemberMedia): void {
    const known = this.#members.get(media.memberId)
    this.#members.set(media.memberId, {
      media,
      silent: isSilent(media),
      inputGain: volumeGain(media.inputVolume),
      outputGain: volumeGain(media.outputVolume),
      voice: this.#voiceOf(media.parentMemberId ?? media.memberId),
      activity: known?.activity ?? new VoiceActivity(),
      levelDb: Number.NEGATIVE_INFINITY,
    })
    if (known) this.#dropUnused(known.voice)
  }

  removeMember(memberId: string): void {
    const member = this.#members.get(memberId)
    this.#members.delete(memberId)
    this.#options.lipSync?.removeMember(memberId)
    if (member) this.#dropUnused(member.voice)
  }

  /** Everybody hears it but the deaf, and recordings and streams have it. */
  addFile(file: FileSound): void {
    if (!this.#stopped) this.#files.add(file)
  }

  removeFile(file: FileSound): void {
    this.#files.delete(file)
  }

  /** Plays to all but the deaf, and into recordings. A tone that is playing is cut. */
  playTone(tone: Tone): void {
    if (this.#options.tones === false) return
    this.#tone = TONES[tone]
    this.#tonePosition = 0
  }

  /** What the listener reports as lost, in percent; decides how much redundancy its packets carry. */
  setExpectedLoss(listenerId: string, percent: number): void {
    this.#listeners.get(listenerId)?.loss.report(percent)
  }

  /** Mixes the 20 ms that start at `nowMs`. */
  tick(nowMs: number): void {
    if (this.#stopped) return
    this.#stamp(nowMs)
    this.#all.fill(0)
    for (const voice of this.#voices.values()) voice.startTick()
    for (const source of this.#sources.values()) this.#render(source, nowMs)
    for (const voice of this.#voices.values()) if (voice.sounding) addTo(this.#all, voice.pcm)
    for (const file of this.#files) this.#addFile(file, nowMs)
    this.#addTone()
    for (const [memberId, member] of this.#members) this.#reportTalking(memberId, member)
    this.#deliverMix(nowMs)
    for (const [listenerId, listener] of this.#listeners) this.#regroup(listenerId, listener)
    for (const group of this.#groups) group.deliver(this.#all)
  }

  /** Calls `tick` every 20 ms. */
  start(): void {
    if (!this.#stopped) this.#clock.start()
  }

  /** Ends the ticking and frees everything native. Final. */
  stop(): void {
    this.#stopped = true
    this.#clock.stop()
    for (const sourceId of [...this.#sources.keys()]) this.removeSource(sourceId)
    for (const listenerId of [...this.#listeners.keys()]) this.removeListener(listenerId)
  }

  /** Rounds time to whole ticks, so that a tick that was left out is a gap in the timestamps and not a drift. */
  #stamp(nowMs: number): void {
    this.#firstTickMs ??= nowMs
    const number = Math.round((nowMs - this.#firstTickMs) / TICK_MS)
    this.#tickNumber = Math.max(this.#tickNumber + 1, number)
    this.#packet.rtpTimestamp = this.#tickNumber * TICK_SAMPLES
    this.#packet.capturedAtMs = nowMs
  }

  #render(source: MixedSource, nowMs: number): void {
    const { microphone } = source
    const member = this.#members.get(microphone.memberId)
    if (!member || member.silent || member.inputGain === 0) {
      source.audibleTicks = 0
      microphone.discard(nowMs)
      return
    }
    const level = microphone.render(nowMs)
    if (level === Number.NEGATIVE_INFINITY) {
      source.audibleTicks = 0
      return
    }
    const heardDb = level + 20 * Math.log10(member.inputGain)
    member.levelDb = Math.max(member.levelDb, heardDb)
    if (heardDb >= AUDIBLE_DB) source.audibleTicks = AUDIBLE_HOLD_TICKS
    else if (source.audibleTicks > 0) source.audibleTicks--
    if (source.audibleTicks > 0) member.voice.add(microphone.pcm, member.inputGain)
  }

  #addFile(file: FileSound, nowMs: number): void {
    if (!file.render(nowMs, this.#file) || file.gain === 0) return
    for (let index = 0; index < TICK_SAMPLES; index++)
      this.#all[index] = this.#all[index]! + this.#file[index]! * file.gain
  }

  #addTone(): void {
    if (!this.#tone) return
    const end = Math.min(this.#tonePosition + TICK_SAMPLES, this.#tone.length)
    for (let from = this.#tonePosition, to = 0; from < end; from++, to++)
      this.#all[to] = this.#all[to]! + this.#tone[from]!
    this.#tonePosition = end
    if (end === this.#tone.length) this.#tone = null
  }

  #reportTalking(memberId: string, member: MixedMember): void {
    const { activity, media, silent } = member
    const changed = silent ? activity.reset() : activity.update(member.levelDb, media.inputSensitivity)
    member.levelDb = Number.NEGATIVE_INFINITY
    if (changed) this.#options.onTalking(memberId, activity.talking)
  }

  #deliverMix(nowMs: number): void {
    if (!this.#options.onMix) return
    this.#recorded.set(this.#all)
    this.#limiter.process(this.#recorded)
    this.#options.onMix(this.#recorded, nowMs)
  }

  #listen(listenerId: string, listener: Pick<MixedListener, 'memberId' | 'fixed' | 'talksBack'>): void {
    this.#listeners.set(listenerId, { ...listener, loss: new ExpectedLoss(), group: null })
  }

  #regroup(listenerId: string, listener: MixedListener): void {
    const wanted = listener.fixed ?? this.#wantedBy(listener)
    if (listener.group && sameKind(listener.group.kind, wanted)) return
    this.#leaveGroup(listenerId, listener)
    listener.group = this.#groupOf(wanted)
    listener.group.add(listenerId)
  }

  /** @returns an object that is reused for the next listener */
  #wantedBy({ memberId, loss, talksBack }: MixedListener): MixKind {
    const member = this.#members.get(memberId ?? '')
    const wanted = this.#wanted
    wanted.deaf = !member || hearsNothing(member.media) || member.outputGain === 0
    wanted.without = !wanted.deaf && member?.voice.needsOwnMix ? member.voice : null
    wanted.gain = wanted.deaf ? 1 : (member?.outputGain ?? 1)
    wanted.lossPercent = loss.percent
    wanted.longPackets = !talksBack
    return wanted
  }

  #groupOf(kind: MixKind): MixGroup {
    for (const group of this.#groups) if (sameKind(group.kind, kind)) return group
    const group = new MixGroup(kind, { packet: this.#packet, onPacket: this.#options.onPacket })
    this.#groups.add(group)
    return group
  }

  #leaveGroup(listenerId: string, listener: MixedListener): void {
    const { group } = listener
    if (!group) return
    listener.group = null
    group.remove(listenerId)
    if (group.size > 0) return
    group.close()
    this.#groups.delete(group)
  }

  #voiceOf(personId: string): Voice {
    let voice = this.#voices.get(personId)
    if (!voice) {
      voice = new Voice()
      this.#voices.set(personId, voice)
    }
    return voice
  }

  #dropUnused(voice: Voice): void {
    for (const member of this.#members.values()) if (member.voice === voice) return
    for (const [personId, other] of this.#voices) if (other === voice) this.#voices.delete(personId)
  }
}

function addTo(sum: Float32Array, pcm: Float32Array): void {
  for (let index = 0; index < sum.length; index++) sum[index] = sum[index]! + pcm[index]!
}
