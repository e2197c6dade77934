import { useEffect, useRef } from 'react'
import { allowedIn } from '../allowed.ts'
import type { Meeting } from '../meeting.ts'
import type { MeetingState } from '../meeting-state.ts'
import { shortcutOf } from './shortcut.ts'
import { useShortcutsOn } from './shortcuts-switch.ts'

interface ShortcutActions {
  onChat: () => void
  onList: () => void
}

/** Single keys act while the meeting is shown, unless the person has switched them off. */
export function useShortcuts(meeting: Meeting, state: MeetingState, actions: ShortcutActions): void {
  const isOn = useShortcutsOn()
  const latest = useRef({ state, actions })
  useEffect(() => {
    latest.current = { state, actions }
  })
  useEffect(() => {
    const stop = new AbortController()
    const { signal } = stop
    /** Whether space is held, and the microphone was off before. */
    let talks = false
    const stopTalking = () => {
      if (talks) void meeting.setMuted('audioMuted', true)
      talks = false
    }
    const pressed = (event: KeyboardEvent) => {
      const shortcut = shortcutOf(event)
      const { state: now, actions: does } = latest.current
      if (shortcut === null || (!isOn && shortcut !== 'list')) return
      event.preventDefault()
      const self = now.members.find(({ id }) => id === now.selfId)
      if (shortcut === 'chat') does.onChat()
      else if (shortcut === 'list') does.onList()
      else if (!self) return
      else if (shortcut === 'microphone' && now.canSend.audio)
        void meeting.setMuted('audioMuted', !self.audioMuted)
      else if (shortcut === 'camera' && now.canSend.video)
        void meeting.setMuted('videoMuted', !self.videoMuted)
      else if (shortcut === 'hand' && allowedIn(now).hand)
        void meeting.room.setHand(self.id, !now.hands.includes(self.id))
      else if (shortcut === 'talk' && now.canSend.audio && self.audioMuted) {
        talks = true
        void meeting.setMuted('audioMuted', false)
      }
    }
    window.addEventListener('keydown', pressed, { signal })
    window.addEventListener('keyup', ({ key }) => key === ' ' && stopTalking(), { signal })
    // The key may be let go where the page does not hear of it.
    window.addEventListener('blur', stopTalking, { signal })
    return () => {
      stopTalking()
      stop.abort()
    }
  }, [meeting, isOn])
}
