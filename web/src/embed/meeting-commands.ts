import type { Command, EmbedCommands, EmbedDevice, EmbedErrorCode } from '@parley/embed/protocol'
import { cameraConstraints, microphoneConstraints } from '../green-room/constraints.ts'
import { t } from '../languages/texts.ts'
import { callMethod, type RoomSession } from '../room/client.ts'
import { refusalOf } from '../room/join-error-text.ts'
import type { Meeting } from '../room/meeting.ts'
import type { MeetingState } from '../room/meeting-state.ts'
import { refusalText } from '../room/refusal-text.ts'
import { CommandRefused } from './embedder.ts'
import { reportedMember } from './reported-changes.ts'

type Handlers = {
  [Name in keyof EmbedCommands]: (
    meeting: Meeting,
    ...value: Parameters<EmbedCommands[Name]>
  ) => Promise<ReturnType<EmbedCommands[Name]>>
}

const COMMANDS: Handlers = {
  muteAudio: (meeting) => setMuted(meeting, 'audioMuted', true),
  unmuteAudio: (meeting) => setMuted(meeting, 'audioMuted', false),
  muteVideo: (meeting) => setMuted(meeting, 'videoMuted', true),
  unmuteVideo: (meeting) => setMuted(meeting, 'videoMuted', false),
  devices: async () => (await navigator.mediaDevices.enumerateDevices()).map(shownDevice),
  setCamera: (meeting, id) => ask(meeting, (session) => session.updateCamera(cameraConstraints(id))),
  setMicrophone: (meeting, id) =>
    ask(meeting, (session) => session.updateMicrophone(microphoneConstraints(id))),
  setSpeaker: (meeting, deviceId) => ask(meeting, async (session) => session.updateSpeaker({ deviceId })),
  startShare,
  stopShare: async (meeting) => meeting.stopSharing(),
  layouts: (meeting) => ask(meeting, async (session) => [...(await session.getLayouts()).layouts]),
  setLayout: (meeting, name) => ask(meeting, (session) => session.setLayout({ name })),
  startRecording: (meeting) =>
    ask(meeting, async (session) => meeting.media.noteRecording(await session.startRecording())),
  stopRecording: (meeting) => ask(meeting, stopRecordings),
  members: async (meeting) => meeting.snapshot().members.map(reportedMember),
  removeMember: (meeting, memberId) => ask(meeting, (session) => session.removeMember({ memberId })),
  leave: (meeting) => meeting.leave(),
  end: endForAll,
}

/**
 * Carries out a command of the page around.
 * @param meeting null while nobody is in
 * @throws CommandRefused
 */
export async function obey(meeting: Meeting | null, { name, value }: Command): Promise<unknown> {
  if (!Object.hasOwn(COMMANDS, name))
    throw new CommandRefused('refused', t('embed.unknown-command', { name: String(name) }))
  if (meeting?.snapshot().phase !== 'joined') throw new CommandRefused('not-joined', t('embed.not-joined'))
  return (COMMANDS[name] as (meeting: Meeting, value: unknown) => Promise<unknown>)(meeting, value)
}

async function ask<Result>(
  meeting: Meeting,
  request: (session: RoomSession) => Promise<Result>,
): Promise<Result> {
  try {
    return await meeting.ask(request)
  } catch (error) {
    throw new CommandRefused(codeOf(error), refusalText(error))
  }
}

function codeOf(error: unknown): EmbedErrorCode {
  return refusalOf(error).code === '403' ? 'not-permitted' : 'refused'
}

async function setMuted(meeting: Meeting, what: 'audioMuted' | 'videoMuted', muted: boolean): Promise<void> {
  const { canSend, role } = meeting.snapshot()
  if (role === 'audience') throw new CommandRefused('not-permitted', t('embed.only-watches'))
  if (!(what === 'audioMuted' ? canSend.audio : canSend.video)) {
    throw new CommandRefused('no-device', t('embed.no-device'))
  }
  await meeting.setMuted(what, muted)
  const isDone = await becomes(meeting, ({ members, selfId }) =>
    members.some((member) => member.id === selfId && member[what] === muted),
  )
  if (!isDone) throw new CommandRefused('refused', t('embed.not-done'))
}

/** How long the event may take that follows on the answer to a request, in milliseconds. */
const EVENT_TIMEOUT_MS = 3000

/** Waits until the meeting is so. @returns false if it does not become so in time */
function becomes(meeting: Meeting, isSo: (state: MeetingState) => boolean): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = () => {
      const isDone = isSo(meeting.snapshot())
      clearTimeout(timer)
      stop()
      resolve(isDone)
    }
    const timer = setTimeout(settle, EVENT_TIMEOUT_MS)
    const stop = meeting.subscribe(() => {
      if (isSo(meeting.snapshot())) settle()
    })
    if (isSo(meeting.snapshot())) settle()
  })
}

async function startShare(meeting: Meeting): Promise<void> {
  if (!meeting.snapshot().permissions.includes('room.self.screenshare')) {
    throw new CommandRefused('not-permitted', t('embed.may-not-share'))
  }
  // The browser asks the person only in answer to a click.
  if (navigator.userActivation?.isActive === false && !isDelegated()) {
    throw new CommandRefused('needs-click', t('embed.share-needs-click'))
  }
  meeting.startSharing()
  await new Promise<void>((resolve, reject) => {
    const stop = meeting.subscribe(() => {
      const { sharing } = meeting.snapshot()
      if (sharing === 'starting') return
      stop()
      if (sharing === 'on') resolve()
      else reject(new CommandRefused('needs-click', t('embed.share-needs-click')))
    })
  })
}

/** Chromium does not tell whether the page around has handed on its click. It refuses the share if not. */
const isDelegated = () => 'userAgentData' in navigator

async function stopRecordings(session: RoomSession): Promise<void> {
  const { recordings } = await session.getRecordings()
  for (const recording of recordings) if (recording.state !== 'completed') await recording.stop()
}

/** Nobody is banned: those who were in may come back. The end itself tells the page around that one is out. */
async function endForAll(meeting: Meeting): Promise<void> {
  const { sessionId, selfId } = meeting.snapshot()
  const ids = { room_session_id: sessionId, member_id: selfId }
  await ask(meeting, (session) => callMethod(session, 'video.end', ids))
}

const KINDS = { videoinput: 'camera', audioinput: 'microphone', audiooutput: 'speaker' } as const

const shownDevice = ({ deviceId, kind, label }: MediaDeviceInfo): EmbedDevice => ({
  id: deviceId,
  kind: KINDS[kind],
  label,
})
