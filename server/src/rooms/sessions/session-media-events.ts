import type { MediaRoom } from '../../media/media-plane.ts'
import type { SessionLayout } from './session-layout.ts'
import type { SessionLegs } from './session-legs.ts'
import type { SessionNotifications } from './session-notifications.ts'
import type { SessionRoster } from './session-roster.ts'

export interface MediaListener {
  media: MediaRoom
  roster: SessionRoster
  legs: SessionLegs
  layout: SessionLayout
  notifications: SessionNotifications
  /** The media worker is gone. */
  onDied: (reason: string) => void
}

/** Acts on what the media room reports. Legs, recordings and streams listen to their own events. */
export function listenToMedia({ media, roster, legs, layout, notifications, onDied }: MediaListener): void {
  media.on('talking', ({ memberId, talking }) => {
    const member = roster.get(memberId)
    if (!member || member.talking === talking) return
    member.talking = talking
    notifications.memberTalking(member)
    layout.talking(member)
  })
  media.on('videoWanted', ({ legId, width, height, frameRate }) => {
    legs.get(legId)?.member.participant.cameraWanted(legId, { width, height, frameRate })
  })
  media.on('died', ({ reason }) => onDied(reason))
}
