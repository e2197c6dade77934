import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../testing/eventually.ts'
import { FirefoxParticipant } from '../testing/firefox.ts'
import type { LayoutChanged, MemberEvent } from '../testing/published-client.ts'
import { hears } from '../testing/seen-and-heard.ts'
import { BLUE, RED, useDeployment } from '../testing/use-deployment.ts'

const deployment = useDeployment({ name: 'firefox-methods' })

const PERMISSIONS = [
  ...['audio_mute', 'audio_unmute', 'video_mute', 'video_unmute', 'deaf', 'undeaf', 'set_input_volume'].map(
    (name) => `room.self.${name}`,
  ),
  'room.self.raisehand',
  'room.self.lowerhand',
  'room.set_layout',
  'room.set_meta',
  'room.recording',
  'room.member.remove',
]

/** Calls of Firefox on itself, the field that they change, and its value afterwards. */
const ON_ITSELF: readonly [string, unknown[], string, unknown][] = [
  ['videoMute', [], 'video_muted', true],
  ['videoUnmute', [], 'video_muted', false],
  ['deaf', [], 'deaf', true],
  ['undeaf', [], 'deaf', false],
  ['setMicrophoneVolume', [{ volume: -10 }], 'input_volume', -10],
  ['setMicrophoneVolume', [{ volume: 0 }], 'input_volume', 0],
  ['setRaisedHand', [], 'handraised', true],
  ['setRaisedHand', [{ raised: false }], 'handraised', false],
]

test('what Firefox calls takes effect, and Chromium sees, hears or is told it', async () => {
  const room_name = deployment.roomName()
  const fox = await FirefoxParticipant.open('Firefox', BLUE.toneHz, { hidesAddresses: true })
  onTestFinished(() => fox.close())
  const red = await deployment.enter(RED, { room_name })
  await fox.join(
    await deployment.rest.createRoomToken({ user_name: 'Firefox', room_name, permissions: PERMISSIONS }),
  )
  const members = [red.memberId, fox.memberId]
  await Promise.all([red.layoutOf(members), fox.layoutOf(members)])
  const told = (field: string, value: unknown, since: number) =>
    red.events.waitFor<MemberEvent>('member.updated', {
      since,
      right: ({ member }) => member.id === fox.memberId && member[field] === value,
    })
  const calls = async (...[method, parameters, field, value]: (typeof ON_ITSELF)[number]) => {
    const since = red.events.mark()
    await fox.call(method, ...parameters)
    await told(field, value, since)
  }

  await hears(red, [BLUE], [RED])
  await calls('audioMute', [], 'audio_muted', true)
  await hears(red, [], [BLUE])
  await calls('audioUnmute', [], 'audio_muted', false)
  await hears(red, [BLUE], [RED])
  for (const call of ON_ITSELF) await calls(...call)

  const { members: listed } = await fox.call<{ members: MemberEvent['member'][] }>('getMembers')
  expect(listed.map(({ id }) => id).toSorted()).toEqual(members.toSorted())

  let since = red.events.mark()
  await fox.call('setLayout', { name: 'highlight-1-responsive' })
  await red.events.waitFor<LayoutChanged>('layout.changed', {
    since,
    right: ({ layout }) => layout.name === 'highlight-1-responsive',
  })
  since = red.events.mark()
  await fox.call('setMeta', { topic: 'tea' })
  await red.events.waitFor<{ room_session: { meta?: { topic?: string } } }>('room.updated', {
    since,
    right: ({ room_session }) => room_session.meta?.topic === 'tea',
  })

  const isRecorded = (recording: boolean) =>
    red.events.waitFor<{ room_session: { recording?: boolean } }>('room.updated', {
      since,
      right: ({ room_session }) => room_session.recording === recording,
    })
  since = red.events.mark()
  const { id } = await fox.call<{ id: string }>('startRecording')
  await isRecorded(true)
  await fox.onRecording(id, 'stop')
  await isRecorded(false)
  const { status } = await deployment.rest.send('GET', `/room_recordings/${id}`)
  expect(status).toBe(200)

  await fox.call('removeMember', { memberId: red.memberId })
  await red.events.waitFor('room.left')
  await eventually(
    'Firefox is alone',
    async () => fox.tiles().map(({ member_id }) => member_id),
    (ids) => ids.join() === fox.memberId,
  )
})
