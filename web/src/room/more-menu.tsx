import { CircleDot, Ellipsis, Hand, LayoutGrid, Lock, MonitorPlay, Square, VideoOff } from 'lucide-react'
import { Menu, MenuItem } from '../ui/menu.tsx'
import { MenuCheck, MenuLine } from '../ui/menu-check.tsx'
import { type Allowed, allowedIn } from './allowed.ts'
import { controlClass } from './control-button.tsx'
import type { Meeting } from './meeting.ts'
import type { MeetingState } from './meeting-state.ts'
import type { PanelName } from './panel-name.ts'

interface MoreMenuProps {
  meeting: Meeting
  state: MeetingState
  /** Whether layouts and recording have buttons of their own beside this menu. */
  roomy: boolean
  onPanel: (panel: PanelName) => void
}

/** What can be done with the room and has no button of its own. */
export function MoreMenu({ meeting, state, roomy, onPanel }: MoreMenuProps) {
  const allowed = allowedIn(state)
  if (!hasItems(allowed, roomy)) return null
  const { settings, recording, playbacks } = state
  const { room, media } = meeting
  return (
    <Menu
      side="top"
      align="center"
      trigger={
        <button type="button" aria-label="More about the room" className={controlClass('plain')}>
          <Ellipsis className="size-5" />
          <span aria-hidden className="hidden text-xs font-medium sm:block sideways:hidden">
            More
          </span>
        </button>
      }
    >
      {!roomy && allowed.layouts && (
        <MenuItem icon={<LayoutGrid className="size-4" />} onSelect={() => onPanel('layout')}>
          Change the layout
        </MenuItem>
      )}
      {!roomy && allowed.record && (
        <MenuItem
          icon={recording ? <Square className="size-4" /> : <CircleDot className="size-4" />}
          onSelect={() => void (recording ? media.stopRecording() : media.startRecording())}
        >
          {recording ? 'Stop recording' : 'Start recording'}
        </MenuItem>
      )}
      {allowed.play && (
        <MenuItem icon={<MonitorPlay className="size-4" />} onSelect={() => onPanel('playback')}>
          {playbacks.length === 0 ? 'Play a link' : `What plays (${playbacks.length})`}
        </MenuItem>
      )}
      {(allowed.play || !roomy) && hasSettings(allowed) && <MenuLine />}
      {allowed.hideVideoMuted && (
        <MenuCheck
          icon={<VideoOff className="size-4" />}
          checked={settings.hideVideoMuted}
          onChange={(hide) => void room.setHideVideoMuted(hide)}
        >
          Hide people without camera
        </MenuCheck>
      )}
      {allowed.handsFirst && (
        <MenuCheck
          icon={<Hand className="size-4" />}
          checked={settings.handsFirst}
          onChange={(first) => void room.setHandsFirst(first)}
        >
          Show raised hands first
        </MenuCheck>
      )}
      {allowed.locked && (
        <MenuCheck
          icon={<Lock className="size-4" />}
          checked={settings.locked}
          onChange={(locked) => void room.setLocked(locked)}
        >
          Lock the room
        </MenuCheck>
      )}
    </Menu>
  )
}

const hasSettings = ({ hideVideoMuted, handsFirst, locked }: Allowed): boolean =>
  hideVideoMuted || handsFirst || locked

const hasItems = (allowed: Allowed, roomy: boolean): boolean =>
  allowed.play || hasSettings(allowed) || (!roomy && (allowed.layouts || allowed.record))
