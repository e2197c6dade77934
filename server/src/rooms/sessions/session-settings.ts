/** Settings of the operator for sessions. */
export interface SessionSettings {
  /** How long a session stays open with nobody in it, in milliseconds. */
  sessionGraceMs: number
  /** How long a participant keeps its seat after its socket dropped, in milliseconds. */
  reconnectGraceMs: number
  /** Maximum audience of one session, in addition to its members. */
  maxAudience: number
  /** Maximum number of seats that one token holds at the same time. Null for no limit. */
  seatsPerToken: number | null
  /** Whether a speaker without a place in the layout takes that of the member who has been silent for longest. */
  speakersTakePlaces: boolean
  /** Maximum number of files that are played into one session at the same time. */
  maxPlaybacksPerRoom: number
  /** Absolute path of the recordings folder. */
  recordingsFolder: string
}
