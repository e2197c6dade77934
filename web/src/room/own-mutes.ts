import type { Readiness } from '../green-room/readiness.ts'
import type { RoomSession } from './client.ts'
import type { MeetingState } from './meeting-state.ts'
import {
  initialOwnMutes,
  type MutedField,
  nextOwnMutes,
  type OwnMutesEffect,
  type OwnMutesEvent,
} from './own-mutes-machine.ts'
import { isRunning, startsSending } from './own-tracks.ts'

/** The parts of the meeting that this needs. */
export interface MutedMeeting {
  session: () => RoomSession | null
  state: () => MeetingState
  tell: (title: string, hint?: string) => void
  refused: (title: string, error: unknown) => void
}

/**
 * Turns the own microphone and camera on and off. Tells the person if a moderator did it. {@link nextOwnMutes} decides
 * what to request and what to tell.
 */
export class OwnMutes {
  readonly #meeting: MutedMeeting
  #state = initialOwnMutes

  constructor(meeting: MutedMeeting) {
    this.#meeting = meeting
  }

  set(what: MutedField, muted: boolean): Promise<void> {
    return this.#take({ kind: 'set', what, muted })
  }

  /**
   * Brings the room's mutes in line with the devices that were on before joining. Until this call, only black and
   * silence were sent.
   * @param mutes with `as-ready`, running devices are also unmuted, even if the token mutes them
   */
  settle(ready: Readiness, mutes: 'of-room' | 'as-ready'): Promise<void> {
    const running = { audio: isRunning(ready, 'audio'), video: isRunning(ready, 'video') }
    return this.#take({ kind: 'settle', shown: this.#self() ?? null, running, mutes })
  }

  /** The room reports that the own sound or picture was turned off or on, by the person or by somebody else. */
  changed(what: MutedField, muted: boolean): void {
    void this.#take({ kind: 'changed', what, muted })
  }

  /** The meeting is over: answers that come later are dropped. */
  end(): void {
    void this.#take({ kind: 'over' })
  }

  /** Resolves when the server has answered the requests that follow from this event. */
  async #take(event: OwnMutesEvent): Promise<void> {
    const [state, effects] = nextOwnMutes(this.#state, event)
    this.#state = state
    // One after the other: the client negotiates media again for each device that it restarts.
    for (const effect of effects) await this.#do(effect)
  }

  async #do(effect: OwnMutesEffect): Promise<void> {
    switch (effect.do) {
      case 'request':
        return this.#request(effect)
      case 'check-sending':
        // Nobody waits for the check: it takes seconds if the device does not start.
        void this.#check(effect)
        return
      case 'tell':
        return this.#meeting.tell(effect.title, effect.hint)
      case 'tell-refused':
        return this.#meeting.refused(effect.title, effect.error)
    }
  }

  async #request({ what, request, muted }: Extract<OwnMutesEffect, { do: 'request' }>): Promise<void> {
    try {
      const session = this.#meeting.session()
      if (what === 'audioMuted') await (muted ? session?.audioMute() : session?.audioUnmute())
      else await (muted ? session?.videoMute() : session?.videoUnmute())
    } catch (error) {
      return this.#take({ kind: 'refused', what, request, error })
    }
    return this.#take({ kind: 'accepted', what, request, isMuted: this.#self()?.[what] ?? null })
  }

  async #check({ what, request }: { what: MutedField; request: number }): Promise<void> {
    const session = this.#meeting.session()
    const sends =
      session !== null && (await startsSending(session, what === 'audioMuted' ? 'audio' : 'video'))
    return this.#take({ kind: 'checked', what, request, sends })
  }

  #self() {
    const { members, selfId } = this.#meeting.state()
    return members.find((member) => member.id === selfId)
  }
}
