/**
 * What the element and the page in its frame say to each other. Both greet by messages of windows, which name their exact
 * origin: first the frame, then the element, with a port. Everything else goes over that port, the token first of all.
 */

/** The frame's page runs. It goes to the origin that the element named in the frame's address, and to no other. */
export interface Greeting {
  parley: 'hello'
}

/** The element's answer, with a `MessagePort`. */
export interface Connection {
  parley: 'connect'
}

/**
 * A command that needs the click of the person. Some browsers let a page hand on the right to capture the screen, but only
 * by a message of windows.
 */
export interface DelegatedCommand {
  parley: 'command'
  command: Command
}

/** How the conference is shown, and who joins. */
export interface EmbedOptions {
  /** A conference token (`vpt_…`) or a room token. */
  token: string
  /** What the others call the person; null to ask. A token that has a name decides. */
  userName: string | null
  theme: 'auto' | 'light' | 'dark'
  chat: boolean
  memberList: boolean
  /** Whether people choose their devices before and during the conference. Without it, one with a name joins at once. */
  devicePicker: boolean
  /** Only watches: asks for no camera and no microphone, and sends nothing. */
  audience: boolean
  /** Whether the microphone and the camera may be used. */
  audio: boolean
  video: boolean
}

/** A person in the conference, or the screen or second device of one. */
export interface EmbedMember {
  id: string
  name: string
  type: string
  /** The person whose screen or device it is. */
  parentId: string | null
  audioMuted: boolean
  videoMuted: boolean
}

/** Why somebody is not in the conference any more. */
export type LeftReason =
  | 'left'
  | 'removed'
  | 'invitation-void'
  | 'time-over'
  | 'room-ended'
  | 'connection-lost'
  | 'media-failed'
  | 'server-trouble'
  | 'server-stopped'
  | 'server-restarted'
  | 'token-refused'
  | 'elsewhere'
  | 'unknown'

/** What went wrong. The message beside it says what to do. */
export type EmbedErrorCode =
  /** The server does not list the origin of this page. The message names the command that does. */
  | 'origin-not-allowed'
  /** The server, or the conference on it, cannot be reached. */
  | 'unreachable'
  | 'token-missing'
  | 'token-invalid'
  /** The conference is not open: early, over, full or locked. */
  | 'not-open'
  | 'join-failed'
  /** The command needs somebody who is in the conference. */
  | 'not-joined'
  | 'not-permitted'
  | 'no-device'
  /** The browser wants a click inside of the frame for this. */
  | 'needs-click'
  | 'refused'

/** The events of the element, with their details. */
export interface EmbedEvents {
  /** One is in. `again`: after an interruption. */
  joined: {
    memberId: string | null
    sessionId: string | null
    roomName: string
    role: 'member' | 'audience'
    members: readonly EmbedMember[]
    again: boolean
  }
  left: { reason: LeftReason }
  'member-joined': { member: EmbedMember }
  'member-left': { member: EmbedMember }
  recording: { state: 'recording' | 'paused' | 'ended' }
  layout: { name: string }
  error: { code: EmbedErrorCode; message: string }
}

/** What one can ask of the conference. Each is answered later: the element gives a promise of the result. */
export interface EmbedCommands {
  muteAudio(): void
  unmuteAudio(): void
  muteVideo(): void
  unmuteVideo(): void
  devices(): EmbedDevice[]
  setCamera(id: string): void
  setMicrophone(id: string): void
  setSpeaker(id: string): void
  startShare(): void
  stopShare(): void
  layouts(): string[]
  setLayout(name: string): void
  startRecording(): void
  stopRecording(): void
  members(): EmbedMember[]
  removeMember(id: string): void
  leave(): void
  /** Ends it for everybody. */
  end(): void
}

/** A device of the person. Its id is good in the frame only: browsers give every origin other ids. */
export interface EmbedDevice {
  id: string
  kind: 'camera' | 'microphone' | 'speaker'
  /** Empty until the person has allowed the use. */
  label: string
}

export interface Command {
  id: number
  name: keyof EmbedCommands
  value: unknown
}

/** From the element to the frame, over the port. */
export type ToFrame = { do: 'open'; options: EmbedOptions } | { do: 'command'; command: Command }

/** From the frame to the element, over the port. */
export type ToElement =
  | { is: 'event'; name: keyof EmbedEvents; detail: unknown }
  | { is: 'result'; id: number; value: unknown }
  | { is: 'failure'; id: number; code: EmbedErrorCode; message: string }
