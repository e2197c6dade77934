import type { MemberMedia } from '../../media/media-plane.ts'
import type { AudioSource, EncodedAudioPacket } from '../media-types.ts'
import type { LipSync } from './lip-sync.ts'

export interface AudioMixerOptions {
  /** The same object as the room's video mixer has. */
  lipSync?: LipSync
  /** One packet per listener and tick. The packet object and its payload are lent for the call. */
  onPacket: (listenerId: string, packet: EncodedAudioPacket) => void
  /** The full mix of each tick: 960 samples of 48 kHz mono, -1 to 1, lent for the call. `capturedAtMs` is of the first. */
  onMix?: (pcm: Float32Array, capturedAtMs: number) => void
  /** Only on change. */
  onTalking: (memberId: string, talking: boolean) => void
}

/** The room's sound: each listener hears everybody but itself. */
export declare class AudioMixer {
  constructor(options: AudioMixerOptions)
  addSource(sourceId: string, memberId: string, source: AudioSource): void
  removeSource(sourceId: string): void
  addListener(listenerId: string, memberId: string): void
  removeListener(listenerId: string): void
  /** Adds a member or replaces what is known about it. Sources and listeners of unknown members are silent. */
  setMember(member: MemberMedia): void
  removeMember(memberId: string): void
  playTone(tone: 'entry' | 'exit'): void
  /** What the listener reports as lost, in percent; decides how much redundancy its packets carry. */
  setExpectedLoss(listenerId: string, percent: number): void
  /** Mixes the 20 ms that start at `nowMs`. */
  tick(nowMs: number): void
  /** Calls `tick` every 20 ms. */
  start(): void
  /** Ends the ticking and frees everything native. Final. */
  stop(): void
}
