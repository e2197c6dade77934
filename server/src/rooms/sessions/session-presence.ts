import type { Member } from './member.ts'
import type { Participant, SessionView } from './participant.ts'
import type { SessionConnections } from './session-connections.ts'
import type { SessionDepartures } from './session-departures.ts'
import type { ConnectionState, SessionLegs } from './session-legs.ts'
import type { SessionNotifications } from './session-notifications.ts'
import type { SessionRoster } from './session-roster.ts'
import type { SessionTokens } from './session-tokens.ts'
import type { SessionWatchers } from './session-watchers.ts'

export interface SessionPresenceOptions {
  session: SessionView
  roster: SessionRoster
  tokens: SessionTokens
  legs: SessionLegs
  connections: SessionConnections
  departures: SessionDepartures
  notifications: SessionNotifications
  watchers: SessionWatchers
  /** How long the seats of a participant without socket are kept, in milliseconds. */
  reconnectGraceMs: number
  isEnded: () => boolean
}

/** Whose clients are there: keeps the seats of those whose socket dropped, and tells them what they missed. */
export class SessionPresence {
  readonly #options: SessionPresenceOptions

  constructor(options: SessionPresenceOptions) {
    this.#options = options
  }

  /** How a member's client and its media reach the server. */
  of(member: Member): ConnectionState {
    return member.participant.connected ? this.#options.legs.stateOf(member) : 'away'
  }

  /** The participant's socket dropped. Its seats are kept for the grace, and its media continue. */
  lost(participant: Participant): void {
    const { session, roster, connections, departures, watchers, reconnectGraceMs, isEnded } = this.#options
    if (isEnded()) return
    for (const member of roster.of(participant)) connections.broke(member, 'socket')
    watchers.tellQuietly(session, 'connection')
    roster.absent(participant, reconnectGraceMs, () => {
      for (const member of roster.of(participant)) departures.leave(member, 'connection_lost')
    })
  }

  /**
   * The participant is connected again. Its grace ends, and it gets the state that it may have missed.
   * @param awayMs since when its client may have missed something
   */
  back(participant: Participant, awayMs: number): void {
    const { session, roster, tokens, legs, connections, notifications, watchers } = this.#options
    roster.present(participant)
    watchers.tellQuietly(session, 'connection')
    const seats = roster.of(participant)
    for (const member of seats) {
      legs.giveTimeTo(member)
      tokens.noteUse(member)
      connections.mended(member, 'socket')
    }
    const [self] = seats
    if (self) notifications.catchUp(self, awayMs)
  }

  /** Sends a member the full state again, as after its join. Called when its page was reloaded. */
  greetAgain(legId: string): void {
    const { roster, legs, notifications } = this.#options
    const member = legs.get(legId)?.member
    if (!member || !roster.get(member.id)) return
    notifications.greet(legId, member)
    notifications.describeLayout(member.participant)
    notifications.describeAudience(member.participant)
  }
}
