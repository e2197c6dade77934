import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Actor } from '../audit/audit.ts'
import { Chat } from '../chat/chat.ts'
import { conferenceChannel } from '../chat/chat-token.ts'
import type { LiveSession } from '../rooms/sessions/live-session.ts'
import { SessionWorld, Witness } from '../testing/simulation/session-world.ts'
import { testCluster } from '../testing/test-cluster.ts'
import { createRoomActs, type RoomAct, type RoomActs } from './room-acts.ts'

const ADA: Actor = { kind: 'user', name: 'ada@example.org' }
let world: SessionWorld
let session: LiveSession
let acts: RoomActs
let act: RoomAct

beforeEach(async () => {
  world = await SessionWorld.open()
  world.names.set('live.example.com', '203.0.113.9')
  const { storage, clock, registry: sessions, targets, projectId } = world
  const chat = new Chat({ storage, clock, sessions, cluster: testCluster() })
  acts = createRoomActs({ sessions, chat, storage, targets, clock, roomChat: true })
  const audioMuted = { join_audio_muted: false }
  session = (await world.join(new Witness('Bob'), { room_name: 'r', auto_create_room: true, ...audioMuted }))
    .session
  await world.join(new Witness('Eve'), { room_name: 'r', ...audioMuted })
  act = { projectId, sessionId: session.id, actor: ADA }
})
afterEach(() => world.close())

const muted = () => session.members.map(({ audioMuted }) => audioMuted)

it('does what it is asked for, and notes each act', async () => {
  const [bob] = session.members
  await acts.mute(act, bob?.id ?? '')
  expect(muted()).toEqual([true, false])
  await acts.mute(act, null)
  expect(muted()).toEqual([true, true])
  await acts.setLocked(act, true)
  expect(session.locked).toBe(true)
  await acts.setLayout(act, '2x2')
  expect(session.layoutName).toBe('2x2')
  await acts.record(act)
  expect(session.runningRecordings).toHaveLength(1)
  await acts.stopRecording(act)
  await acts.stream(act, 'rtmp://live.example.com/app/secret-key')
  expect(session.runningStreams).toHaveLength(1)
  await acts.stopStreams(act)
  expect(await acts.stream(act, 'rtmp://nowhere.example.com/app/key')).toBe('unreachable')
  await expect(acts.stream(act, 'rtmp://10.0.0.1/app/key')).rejects.toThrow()
  expect(session.runningStreams).toHaveLength(0)
  await acts.say(act, 'Good evening')
  await acts.end(act)
  expect(session.isEnded).toBe(true)
  const entries = (await world.storage.audit.list({}, 99)).toReversed()
  expect(entries.map(({ action }) => action.replace('room_session.', ''))).toEqual([
    ...[
      'mute',
      'mute',
      'lock',
      'layout',
      'record',
      'stop_recording',
      'stream',
      'stop_streams',
      'message',
      'end',
    ],
  ])
  expect(entries[0]).toMatchObject({
    actor: ADA.name,
    target: session.id,
    details: { room_name: 'r', member: 'Bob' },
  })
  expect(JSON.stringify(entries)).not.toContain('secret-key')
  expect(JSON.stringify(entries)).not.toContain('Good evening')
})

it('writes into the chat under the name of the user', async () => {
  await acts.say(act, 'Five minutes left')
  const page = await world.storage.chatMessages.listOfChannel(
    world.projectId,
    conferenceChannel(session.id),
    {
      limit: 9,
    },
  )
  expect(page.rows).toMatchObject([
    { content: '"Five minutes left"', from_name: ADA.name, room_session_id: session.id, to_name: 'r' },
  ])
})

it('finds no room of another project, none that ended, and nobody who is not in it', async () => {
  await expect(acts.end({ ...act, projectId: 'another' })).rejects.toThrow()
  await expect(acts.mute(act, 'nobody')).rejects.toThrow()
  await acts.end(act)
  await expect(acts.setLocked(act, true)).rejects.toThrow()
  expect(await world.storage.audit.list({}, 9)).toHaveLength(1)
})

it('knows whose connection is gone, and tells dashboards', async () => {
  const quiet: string[] = []
  world.registry.watchers.add(world.projectId, {
    sessionEvent: () => {},
    quietChange: (_, what) => quiet.push(what),
  })
  const [bob] = session.members
  if (!bob) throw new Error('nobody is there')
  const participant = bob.participant as Witness
  participant.connected = false
  session.presence.lost(participant)
  expect(session.presence.of(bob)).toBe('away')
  participant.connected = true
  session.presence.back(participant, 0)
  expect(session.presence.of(bob)).not.toBe('away')
  expect(quiet).toEqual(['connection', 'connection'])
})
