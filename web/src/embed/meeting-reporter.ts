import type { Meeting } from '../room/meeting.ts'
import { initialMeetingState, type MeetingState } from '../room/meeting-state.ts'
import { type Report, reportedChanges, reportedMember } from './reported-changes.ts'

/** Tells the page around what happens in the meeting, and in those that follow after interruptions. */
export class MeetingReporter {
  meeting: Meeting | null = null
  readonly #report: (report: Report) => void
  #last: MeetingState = initialMeetingState

  constructor(report: (report: Report) => void) {
    this.#report = report
  }

  follow(meeting: Meeting, roomName: string): void {
    const again = this.meeting !== null
    this.meeting = meeting
    const state = meeting.snapshot()
    const { selfId: memberId, sessionId, role } = state
    const members = state.members.map(reportedMember)
    this.#report({ name: 'joined', detail: { memberId, sessionId, roomName, role, members, again } })
    // What is so already at the start is no change of it, but layout and recording have no other event.
    this.#last = again ? this.#last : { ...state, layout: null, recording: null }
    this.#compare(state)
    meeting.subscribe(() => {
      if (this.meeting === meeting) this.#compare(meeting.snapshot())
    })
  }

  left(): void {
    this.meeting = null
    this.#last = initialMeetingState
  }

  #compare(state: MeetingState): void {
    if (state.phase !== 'joined') return
    const before = this.#last
    this.#last = state
    for (const report of reportedChanges(before, state)) this.#report(report)
  }
}
