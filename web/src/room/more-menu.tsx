import {
  CircleDot,
  Ellipsis,
  Hand,
  Keyboard,
  Languages,
  LayoutGrid,
  Lock,
  MonitorPlay,
  Radio,
  Square,
  VideoOff,
} from 'lucide-react'
import { t } from '../languages/texts.ts'
import { Menu, MenuItem } from '../ui/menu.tsx'
import { MenuCheck, MenuLine } from '../ui/menu-check.tsx'
import { type Allowed, allowedIn } from './allowed.ts'
import { controlClass } from './control-button.tsx'
import type { Meeting } from './meeting.ts'
import type { MeetingState } from './meeting-state.ts'
import type { PanelName } from './panel-name.ts'
import { ReactionItems } from './reactions/reaction-picker.tsx'
import { ViewItems } from './view-items.tsx'

interface MoreMenuProps {
  meeting: Meeting
  state: MeetingState
  /** Whether layouts and recording have buttons of their own beside this menu. */
  roomy: boolean
  onPanel: (panel: PanelName) => void
  onShortcuts: () => void
}

/** What can be done with the room and has no button of its own. */
export function MoreMenu({ meeting, state, roomy, onPanel, onShortcuts }: MoreMenuProps) {
  const allowed = allowedIn(state)
  const { settings, recording, playbacks } = state
  const { room, media } = meeting
  return (
    <Menu
      side="top"
      align="center"
      trigger={
        <button type="button" aria-label={t('meeting.more-about-room')} className={controlClass('plain')}>
          <Ellipsis className="size-5" />
          <span aria-hidden className="hidden text-xs font-medium sm:block sideways:hidden">
            {t('meeting.more-caption')}
          </span>
        </button>
      }
    >
      {!roomy && (
        <>
          <ReactionItems room={room} />
          <MenuLine />
        </>
      )}
      {!roomy && allowed.layouts && (
        <MenuItem icon={<LayoutGrid className="size-4" />} onSelect={() => onPanel('layout')}>
          {t('meeting.change-layout')}
        </MenuItem>
      )}
      {!roomy && allowed.record && (
        <MenuItem
          icon={recording ? <Square className="size-4" /> : <CircleDot className="size-4" />}
          onSelect={() => void (recording ? media.stopRecording() : media.startRecording())}
        >
          {t(recording ? 'meeting.recording-stop' : 'meeting.recording-start')}
        </MenuItem>
      )}
      {allowed.play && (
        <MenuItem icon={<MonitorPlay className="size-4" />} onSelect={() => onPanel('playback')}>
          {playbacks.length === 0
            ? t('meeting.panel-playback')
            : t('meeting.what-plays-count', { count: playbacks.length })}
        </MenuItem>
      )}
      {allowed.stream && (
        <MenuItem icon={<Radio className="size-4" />} onSelect={() => onPanel('stream')}>
          {t('panels.stream')}
        </MenuItem>
      )}
      <ViewItems element={meeting.element} />
      <MenuItem icon={<Keyboard className="size-4" />} onSelect={onShortcuts}>
        {t('panels.shortcuts')}
      </MenuItem>
      {hasSettings(allowed) && <MenuLine />}
      {allowed.hideVideoMuted && (
        <MenuCheck
          icon={<VideoOff className="size-4" />}
          checked={settings.hideVideoMuted}
          onChange={(hide) => void room.setHideVideoMuted(hide)}
        >
          {t('meeting.hide-without-camera')}
        </MenuCheck>
      )}
      {allowed.handsFirst && (
        <MenuCheck
          icon={<Hand className="size-4" />}
          checked={settings.handsFirst}
          onChange={(first) => void room.setHandsFirst(first)}
        >
          {t('meeting.hands-first')}
        </MenuCheck>
      )}
      {allowed.locked && (
        <MenuCheck
          icon={<Lock className="size-4" />}
          checked={settings.locked}
          onChange={(locked) => void room.setLocked(locked)}
        >
          {t('meeting.lock-room')}
        </MenuCheck>
      )}
      <MenuLine />
      <MenuItem icon={<Languages className="size-4" />} onSelect={() => onPanel('language')}>
        {t('guest.language')}
      </MenuItem>
    </Menu>
  )
}

const hasSettings = ({ hideVideoMuted, handsFirst, locked }: Allowed): boolean =>
  hideVideoMuted || handsFirst || locked
