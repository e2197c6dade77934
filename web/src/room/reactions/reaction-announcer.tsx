import { t } from '../../languages/texts.ts'
import type { MeetingState } from '../meeting-state.ts'
import { reactionNames } from './reaction.ts'

/** Reads out the latest reaction of somebody else. */
export function ReactionAnnouncer({ reactions, selfId }: Pick<MeetingState, 'reactions' | 'selfId'>) {
  const latest = reactions.findLast(({ memberId }) => memberId !== selfId)
  return (
    <p role="status" className="sr-only">
      {latest && t('chat.reacted', { name: latest.name, reaction: t(reactionNames[latest.reaction]) })}
    </p>
  )
}
