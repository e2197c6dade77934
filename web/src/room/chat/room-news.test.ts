import { expect, test } from 'vitest'
import { initialMeetingState, type MeetingState } from '../meeting-state.ts'
import { withMember } from '../members.ts'
import { roomNews } from './room-news.ts'

const people = (...names: string[]) =>
  names.reduce((list, name) => withMember(list, { id: name, name }), [] as MeetingState['members'])
const joined: MeetingState = {
  ...initialMeetingState,
  phase: 'joined',
  selfId: 'Ada',
  members: people('Ada', 'Bob'),
}
const recording = { paused: false, recordedMs: 0, sinceMs: 0 }

test.each<[Partial<MeetingState>, Partial<MeetingState>, object[]]>([
  [
    {},
    { members: people('Ada', 'Cleo') },
    [
      { is: 'joined', name: 'Cleo' },
      { is: 'left', name: 'Bob' },
    ],
  ],
  [{}, { members: people('Bob') }, []],
  [{}, { recording }, [{ is: 'recording-started' }]],
  [{ recording }, { recording: { ...recording, paused: true } }, [{ is: 'recording-paused' }]],
  [{ recording: { ...recording, paused: true } }, { recording }, [{ is: 'recording-resumed' }]],
  [{ recording }, {}, [{ is: 'recording-ended' }]],
  [{}, { streaming: true }, [{ is: 'streaming-started' }]],
  [{}, { settings: { ...joined.settings, locked: true } }, [{ is: 'locked' }]],
  [{ phase: 'joining', members: [] }, {}, []],
  [{}, { phase: 'left', members: [] }, []],
])('from %j to %j tells %j', (before, after, news) => {
  expect(roomNews({ ...joined, ...before }, { ...joined, ...after })).toEqual(news)
})
