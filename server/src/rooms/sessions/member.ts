import type { MemberMedia } from '../../media/channel.ts'
import type { Meta } from '../../storage/records.ts'
import type { GrantedPermissions } from '../permissions.ts'
import type { TokenKey } from '../token-key.ts'
import { directionsOf, type MediaAllowed, type MediaDirections, type MemberRole } from './member-role.ts'
import type { MemberField, MemberView, Participant } from './participant.ts'

/** The part of a token that stays relevant after the join. Times are Unix milliseconds. */
export interface MemberTerms {
  permissions: GrantedPermissions
  /** Media that a member may send. */
  mediaAllowed: MediaAllowed
  mediaReceived: MediaAllowed
  /** When the member is removed. Null for never. */
  removeAt: number | null
  endSessionOnLeave: boolean
}

/** Initial values of a member. */
export interface MemberOrigin {
  id: string
  name: string
  type: MemberView['type']
  parent: Member | null
  participant: Participant
  /** Keys of the tokens that it joins with. Empty for a screen share or device. */
  tokens: readonly TokenKey[]
  terms: MemberTerms
  meta: Meta
  audioMuted: boolean
  videoMuted: boolean
  /** Default: true. */
  sendsVideo?: boolean
  /** Unix milliseconds. */
  joinedAt: number
}

/** Maximum number of tokens that are remembered per member. */
const TOKENS_LIMIT = 100

/** The middle of the documented scale. */
const DEFAULT_INPUT_SENSITIVITY = 44

/** Settings of a member that requests can change. The names are those of the wire. */
export interface MemberSettings {
  audio_muted: boolean
  video_muted: boolean
  deaf: boolean
  input_volume: number
  output_volume: number
  input_sensitivity: number
  /** Nothing of the member gets into the room, and nothing of the room to the member. No event shows it. */
  held: boolean
}

/** One seat in a session: a person, a viewer, a screen share or an extra device. */
export class Member implements MemberView {
  readonly id: string
  readonly name: string
  readonly parent: Member | null
  readonly participant: Participant
  /** Keys of all tokens that it has used in this seat. The current one is last. */
  tokens: readonly TokenKey[]
  /** When it took its seat, in Unix milliseconds. Before that: when it asked for one. */
  joinedAt: number
  meta: Meta
  requestedPosition = 'auto'
  /** Order of the request for that position, see `LayoutMember`. */
  requestOrder = 0
  currentPosition = 'auto'
  /** False for an extra microphone: it has no picture and gets no place in the layout. */
  readonly sendsVideo: boolean
  /** When it raised its hand, in Unix milliseconds. Null while the hand is down. */
  handRaisedAt: number | null = null
  talking = false
  readonly #settings: MemberSettings
  readonly #joinedAs: MemberView['type']
  #tokenTerms: MemberTerms
  #role: MemberRole | null = null
  #terms: MemberTerms
  /** Whether its tile can be seen. True until it is placed for the first time. */
  #isShown = true

  constructor(origin: MemberOrigin) {
    this.id = origin.id
    this.name = origin.name
    this.#joinedAs = origin.type
    this.parent = origin.parent
    this.participant = origin.participant
    this.tokens = origin.tokens
    this.#tokenTerms = origin.terms
    this.#terms = origin.terms
    this.meta = origin.meta
    this.joinedAt = origin.joinedAt
    this.sendsVideo = origin.sendsVideo ?? true
    this.#settings = {
      audio_muted: origin.audioMuted,
      video_muted: origin.videoMuted,
      deaf: false,
      input_volume: 0,
      output_volume: 0,
      input_sensitivity: DEFAULT_INPUT_SENSITIVITY,
      held: false,
    }
  }

  get type(): MemberView['type'] {
    return this.#role?.joinAs ?? this.#joinedAs
  }

  /** What a moderator made of it. Null while its token decides. */
  get role(): MemberRole | null {
    return this.#role
  }

  /** Terms in force: those of the token, with what a moderator changed. */
  get terms(): MemberTerms {
    return this.#terms
  }

  /** The token has other terms now. What a moderator decided stays. */
  setTokenTerms(terms: MemberTerms): void {
    this.#tokenTerms = terms
    this.#applyRole()
  }

  /** @param role null: the token decides again */
  takeRole(role: MemberRole | null): void {
    this.#role = role
    this.#applyRole()
  }

  get parentId(): string | null {
    return this.parent?.id ?? null
  }

  /** Whether the composed picture shows its camera or screen. */
  get visible(): boolean {
    return this.#isShown && !this.#settings.video_muted
  }

  get handRaised(): boolean {
    return this.handRaisedAt !== null
  }

  get audioMuted(): boolean {
    return this.#settings.audio_muted
  }

  get videoMuted(): boolean {
    return this.#settings.video_muted
  }

  get deaf(): boolean {
    return this.#settings.deaf
  }

  get inputVolume(): number {
    return this.#settings.input_volume
  }

  get outputVolume(): number {
    return this.#settings.output_volume
  }

  get inputSensitivity(): number {
    return this.#settings.input_sensitivity
  }

  get held(): boolean {
    return this.#settings.held
  }

  get settings(): Readonly<MemberSettings> {
    return this.#settings
  }

  /** Key of the current token. Undefined for a screen share or device. */
  get token(): TokenKey | undefined {
    return this.tokens.at(-1)
  }

  /** Makes this the current token. */
  setToken(token: TokenKey): void {
    const others = this.tokens.filter((one) => one !== token)
    this.tokens = [...others, token].slice(-TOKENS_LIMIT)
  }

  /** Whether this is a viewer. Nobody hears or sees viewers, and no list contains them. */
  get isAudience(): boolean {
    return this.type === 'audience'
  }

  /** Whether this is a person, not a screen share or device. */
  get isMain(): boolean {
    return this.parent === null
  }

  /** Whether a request of `actor` about this member concerns the actor itself: its own seat, screen share or device. */
  isOwnedBy(actor: Member): boolean {
    return this === actor || this.parent === actor
  }

  /** @returns the fields that changed. Empty if all had the requested values already */
  change(settings: Partial<MemberSettings>): MemberField[] {
    const updated: MemberField[] = []
    const wasVisible = this.visible
    for (const [field, value] of Object.entries(settings) as [keyof MemberSettings, never][]) {
      if (this.#settings[field] === value) continue
      this.#settings[field] = value
      // Nobody is told that somebody is on hold.
      if (field !== 'held') updated.push(field)
      if (this.visible !== wasVisible && !updated.includes('visible')) updated.push('visible')
    }
    return updated
  }

  /**
   * Puts the member into its place of a new arrangement.
   * @param isShown false off the canvas and under a picture that covers it
   * @returns the fields that changed
   */
  place(position: string, isShown: boolean): MemberField[] {
    const updated: MemberField[] = position === this.currentPosition ? [] : ['current_position']
    const wasVisible = this.visible
    this.currentPosition = position
    this.#isShown = isShown
    if (this.visible !== wasVisible) updated.push('visible')
    return updated
  }

  /** State for the mixers. */
  get media(): MemberMedia {
    return this.mediaWith({})
  }

  /** State for the mixers as it would be after a {@link change}. */
  mediaWith(changes: Partial<MemberSettings>): MemberMedia {
    const settings = { ...this.#settings, ...changes }
    return {
      memberId: this.id,
      parentMemberId: this.parent?.id ?? null,
      isScreen: this.type === 'screen',
      name: this.name,
      audioMuted: settings.audio_muted,
      videoMuted: settings.video_muted,
      deaf: settings.deaf,
      inputVolume: settings.input_volume,
      outputVolume: settings.output_volume,
      inputSensitivity: settings.input_sensitivity,
      held: settings.held,
    }
  }

  /** Directions that its terms allow for this member's leg. */
  get directions(): MediaDirections {
    return directionsOf(this.terms, this)
  }

  #applyRole(): void {
    const role = this.#role
    if (!role) {
      this.#terms = this.#tokenTerms
      return
    }
    const { permissions, mediaAllowed, mediaReceived } = role
    this.#terms = { ...this.#tokenTerms, permissions, mediaAllowed, mediaReceived }
  }
}
