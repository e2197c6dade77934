import type { ParleyConference } from './parley-conference.ts'
import type { EmbedEvents } from './protocol.ts'

type Listener = (payload: unknown) => void

/** Events of the hosted service's call object, and how they follow from ours. */
const EVENTS: Readonly<Record<string, { of: keyof EmbedEvents; when?: (detail: never) => boolean }>> = {
  'room.joined': { of: 'joined' },
  'room.subscribed': { of: 'joined' },
  'room.left': { of: 'left' },
  destroy: { of: 'left' },
  'member.joined': { of: 'member-joined' },
  'member.left': { of: 'member-left' },
  'layout.changed': { of: 'layout' },
  'recording.started': {
    of: 'recording',
    when: ({ state }: EmbedEvents['recording']) => state === 'recording',
  },
  'recording.ended': { of: 'recording', when: ({ state }: EmbedEvents['recording']) => state === 'ended' },
}

/**
 * What `setupRoomSession` gets: the parts of the hosted service's call object that pages use most, over the commands and
 * events of the element.
 */
export function roomSessionOf(element: ParleyConference) {
  const listening = new Map<Listener, Map<string, (event: Event) => void>>()
  const off = (name: string, listener: Listener) => {
    const known = EVENTS[name]
    const wrapped = listening.get(listener)?.get(name)
    if (known && wrapped) element.removeEventListener(known.of, wrapped as EventListener)
  }
  const on = (name: string, listener: Listener, once = false) => {
    const known = EVENTS[name]
    if (!known) return
    const wrapped = (event: Event) => {
      const { detail } = event as CustomEvent
      if (known.when && !known.when(detail as never)) return
      if (once) off(name, listener)
      listener(payloadOf(known.of, detail))
    }
    listening.set(listener, (listening.get(listener) ?? new Map()).set(name, wrapped))
    element.addEventListener(known.of, wrapped as EventListener)
  }
  return {
    on: (name: string, listener: Listener) => on(name, listener),
    once: (name: string, listener: Listener) => on(name, listener, true),
    off,
    audioMute: element.muteAudio,
    audioUnmute: element.unmuteAudio,
    videoMute: element.muteVideo,
    videoUnmute: element.unmuteVideo,
    updateCamera: ({ deviceId }: { deviceId: string }) => element.setCamera(deviceId),
    updateMicrophone: ({ deviceId }: { deviceId: string }) => element.setMicrophone(deviceId),
    updateSpeaker: ({ deviceId }: { deviceId: string }) => element.setSpeaker(deviceId),
    getLayouts: async () => ({ layouts: await element.layouts() }),
    setLayout: ({ name }: { name: string }) => element.setLayout(name),
    getMembers: async () => ({ members: await element.members() }),
    removeMember: ({ memberId }: { memberId: string }) => element.removeMember(memberId),
    startScreenShare: async () => {
      await element.startShare()
      return { leave: element.stopShare }
    },
    startRecording: async () => {
      await element.startRecording()
      return { stop: element.stopRecording }
    },
    leave: element.leave,
  }
}

function payloadOf(name: keyof EmbedEvents, detail: unknown): unknown {
  if (name === 'layout') return { layout: detail }
  if (name !== 'joined') return detail
  const { memberId, sessionId, roomName, members } = detail as EmbedEvents['joined']
  const room = { id: sessionId, name: roomName, display_name: roomName, members }
  return { member_id: memberId, room, room_session: room }
}
