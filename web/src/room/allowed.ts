import { layoutDrawing } from './layout-drawing.ts'
import type { MeetingState } from './meeting-state.ts'

/** The layout that gives a pinned member a large tile. */
export const layoutForPins = 'highlight-1-responsive'

/** What this member may do in the room now. Each depends on permissions, some also on the state of the room. */
export interface Allowed {
  layouts: boolean
  record: boolean
  play: boolean
  seek: boolean
  /** Whether each may be changed from what it is now. */
  hand: boolean
  hideVideoMuted: boolean
  handsFirst: boolean
  locked: boolean
  muteAll: boolean
  end: boolean
  stream: boolean
}

/** Returns what this member may do in the room. The server checks it again. */
export function allowedIn({ permissions, settings, hands, selfId }: MeetingState): Allowed {
  const may = (permission: string) => permissions.includes(permission)
  return {
    layouts: may('room.set_layout'),
    record: may('room.recording'),
    play: may('room.playback'),
    seek: may('room.playback') || may('room.playback_seek'),
    hand: may(hands.includes(selfId ?? '') ? 'room.self.lowerhand' : 'room.self.raisehand'),
    hideVideoMuted: may(settings.hideVideoMuted ? 'room.show_video_muted' : 'room.hide_video_muted'),
    handsFirst: may('room.prioritize_handraise'),
    muteAll: may('room.member.audio_mute'),
    end: may('room.member.remove'),
    stream: may('room.stream'),
    locked: may(settings.locked ? 'room.unlock' : 'room.lock'),
  }
}

/** What this member may do with one person. */
export interface AllowedWith {
  mute: boolean
  stopVideo: boolean
  lowerHand: boolean
  volume: boolean
  position: boolean
  pin: boolean
  demote: boolean
  remove: boolean
}

/** Returns what this member may do with a person, who may be this member. */
export function allowedWith(state: MeetingState, memberId: string): AllowedWith {
  const isSelf = memberId === state.selfId
  const may = (permission: string) => state.permissions.includes(permission)
  const mayForOther = (permission: string) => !isSelf && may(permission)
  const position = may(isSelf ? 'room.self.set_position' : 'room.member.set_position')
  return {
    mute: mayForOther('room.member.audio_mute'),
    stopVideo: mayForOther('room.member.video_mute'),
    lowerHand: state.hands.includes(memberId) && mayForOther('room.member.lowerhand'),
    volume: mayForOther('room.member.set_input_volume'),
    position,
    pin: pinRequest(state, memberId) !== null,
    demote: mayForOther('room.member.demote'),
    remove: mayForOther('room.member.remove'),
  }
}

/** How to pin somebody. With a `layout`, the room changes to it in the same request. */
export type PinRequest = { position: 'reserved-1' | 'standard-1'; layout: string | null }

/**
 * Decides how a person is pinned: in the large place if the layout has one, else by a change to a layout that has one.
 * Who may not change the layout pins to the first place.
 * @returns null if this member may not pin that person
 */
export function pinRequest(
  { permissions, selfId, layout, tiles }: MeetingState,
  memberId: string,
): PinRequest | null {
  const may = (permission: string) => permissions.includes(permission)
  const mayMove = may(memberId === selfId ? 'room.self.set_position' : 'room.member.set_position')
  const hasLargePlace = layoutDrawing(layout ?? '', tiles.length).some(
    ({ position }) => position === 'reserved-1',
  )
  if (hasLargePlace && mayMove) return { position: 'reserved-1', layout: null }
  if (may('room.set_layout') && may('room.set_position'))
    return { position: 'reserved-1', layout: layoutForPins }
  return mayMove ? { position: 'standard-1', layout: null } : null
}

/** Whether somebody asked for a certain place for this member. */
export function isPinned({ requestedPosition }: { requestedPosition: string }): boolean {
  return /^(reserved|standard)-\d+$/.test(requestedPosition)
}
