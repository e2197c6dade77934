import {
  EllipsisVertical,
  EyeOff,
  Hand,
  Maximize,
  MicOff,
  Pin,
  UserMinus,
  UserX,
  VideoOff,
} from 'lucide-react'
import { t } from '../languages/texts.ts'
import { IconButton } from '../ui/icon-button.tsx'
import { Menu, MenuItem } from '../ui/menu.tsx'
import { MenuCheck, MenuLine } from '../ui/menu-check.tsx'
import { allowedWith, isPinned } from './allowed.ts'
import type { Meeting } from './meeting.ts'
import type { MeetingState } from './meeting-state.ts'
import type { MeetingMember } from './members.ts'
import { VolumeItems } from './people/volume-items.tsx'

interface MemberMenuProps {
  meeting: Meeting
  state: MeetingState
  member: MeetingMember
}

/** What this member may do with a person. It is absent if that is nothing. */
export function MemberMenu({ meeting: { room }, state, member }: MemberMenuProps) {
  const { id } = member
  const allowed = allowedWith(state, id)
  if (!Object.values(allowed).some(Boolean)) return null
  const mutes = allowed.mute || allowed.stopVideo || allowed.lowerHand || allowed.volume
  const moves = allowed.pin || allowed.position
  return (
    <Menu
      trigger={
        <IconButton label={t('meeting.more-about-member', { name: member.name })} className="-me-1 size-9">
          <EllipsisVertical className="size-4.5" />
        </IconButton>
      }
    >
      {allowed.mute && (
        <MenuItem
          icon={<MicOff className="size-4" />}
          disabled={member.audioMuted}
          onSelect={() => void room.mute(id)}
        >
          {t('meeting.mute-member')}
        </MenuItem>
      )}
      {allowed.stopVideo && (
        <MenuItem
          icon={<VideoOff className="size-4" />}
          disabled={member.videoMuted}
          onSelect={() => void room.stopVideo(id)}
        >
          {t('meeting.stop-camera-of-member')}
        </MenuItem>
      )}
      {allowed.lowerHand && (
        <MenuItem icon={<Hand className="size-4" />} onSelect={() => void room.setHand(id, false)}>
          {t('meeting.lower-hand')}
        </MenuItem>
      )}
      {allowed.volume && <VolumeItems room={room} member={member} />}
      {mutes && moves && <MenuLine />}
      {moves && <PositionItems room={room} member={member} allowed={allowed} />}
      {(mutes || moves) && (allowed.demote || allowed.remove) && <MenuLine />}
      {allowed.demote && (
        <MenuItem icon={<UserMinus className="size-4" />} onSelect={() => void room.demote(id)}>
          {t('meeting.move-to-audience')}
        </MenuItem>
      )}
      {allowed.remove && (
        <MenuItem icon={<UserX className="size-4" />} danger onSelect={() => void room.remove(id)}>
          {t('meeting.remove-from-room')}
        </MenuItem>
      )}
    </Menu>
  )
}

interface PositionItemsProps {
  room: Meeting['room']
  member: MeetingMember
  allowed: ReturnType<typeof allowedWith>
}

/** Where somebody is in the picture. Only one of these is on at a time. */
function PositionItems({ room, member, allowed }: PositionItemsProps) {
  const { id, requestedPosition } = member
  const pinned = isPinned(member)
  const place = (position: 'full-screen' | 'off-canvas') => ({
    checked: requestedPosition === position,
    onChange: (on: boolean) => void room.setPosition(id, on ? position : 'auto'),
  })
  return (
    <>
      {(pinned ? allowed.position : allowed.pin) && (
        <MenuCheck
          icon={<Pin className="size-4" />}
          checked={pinned}
          onChange={(on) => void (on ? room.pin(id) : room.setPosition(id, 'auto'))}
        >
          {t('meeting.pin')}
        </MenuCheck>
      )}
      {allowed.position && (
        <>
          <MenuCheck icon={<Maximize className="size-4" />} {...place('full-screen')}>
            {t('meeting.position-full-screen')}
          </MenuCheck>
          <MenuCheck icon={<EyeOff className="size-4" />} {...place('off-canvas')}>
            {t('meeting.position-off-canvas')}
          </MenuCheck>
        </>
      )}
    </>
  )
}
