import { SmilePlus } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { t } from '../../languages/texts.ts'
import { Menu } from '../../ui/menu.tsx'
import { controlClass } from '../control-button.tsx'
import type { Meeting } from '../meeting.ts'
import { REACTIONS, reactionNames } from './reaction.ts'

/** Opens the five reactions. */
export function ReactionPicker({ room }: Pick<Meeting, 'room'>) {
  return (
    <Menu
      side="top"
      align="center"
      trigger={
        <button type="button" aria-label={t('chat.react')} className={controlClass('plain')}>
          <SmilePlus className="size-5" />
          <span aria-hidden className="hidden text-xs font-medium sm:block sideways:hidden">
            {t('chat.react')}
          </span>
        </button>
      }
    >
      <ReactionItems room={room} />
    </Menu>
  )
}

/** The five reactions, in a menu. It stays open: one seldom claps once. */
export function ReactionItems({ room }: Pick<Meeting, 'room'>) {
  return (
    <DropdownMenu.Group aria-label={t('chat.react')} className="flex justify-between">
      {REACTIONS.map((reaction) => (
        <DropdownMenu.Item
          key={reaction}
          aria-label={t(reactionNames[reaction])}
          onSelect={(event) => {
            event.preventDefault()
            void room.react(reaction)
          }}
          className="grid size-11 cursor-pointer place-items-center rounded-sm text-xl outline-none select-none data-highlighted:bg-hover"
        >
          {reaction}
        </DropdownMenu.Item>
      ))}
    </DropdownMenu.Group>
  )
}
