import { Hand, MicOff, MonitorUp } from 'lucide-react'
import { numberText } from '../languages/formats.ts'
import { t } from '../languages/texts.ts'
import { classNames } from '../ui/class-names.ts'
import type { MeetingState, MeetingTile } from './meeting-state.ts'
import type { MeetingMember } from './members.ts'
import { FloatingReactions } from './reactions/floating-reactions.tsx'
import type { ShownReaction } from './reactions/reaction.ts'
import { tileBox } from './tile-box.ts'

/** Narrower tiles have no space for a name, in pixels. */
const nameFrom = 60

interface TileLabelsProps {
  state: MeetingState
  /** In percent of this element. */
  tiles: readonly MeetingTile[]
  /** The width of this element in pixels. */
  widthPx: number
  /** Whether a button covers the bottom right corner of this element. */
  hasCorner: boolean
}

/** Shows names, muted microphones and who is talking, over the tiles of the composed picture. */
export function TileLabels({ state, tiles, widthPx, hasCorner }: TileLabelsProps) {
  const isDrawn = (member: MeetingMember) => state.settings.nameLabels && member.type !== 'screen'
  return (
    <div aria-hidden className="pointer-events-none absolute inset-0">
      {tiles.map((tile) => {
        const member = state.members.find((one) => one.id === tile.memberId)
        return (
          member && (
            <TileLabel
              key={tile.memberId}
              tile={tile}
              named={tile.live && !isDrawn(member) && (tile.width / 100) * widthPx >= nameFrom}
              atTop={isDrawn(member)}
              member={member}
              narrow={hasCorner && tile.x + tile.width > 99 && tile.y + tile.height > 99}
              self={member.id === state.selfId}
              hand={state.hands.indexOf(member.id) + 1}
              reactions={state.reactions.filter(({ memberId }) => memberId === member.id)}
            />
          )
        )
      })}
    </div>
  )
}

interface TileLabelProps {
  tile: MeetingTile
  named: boolean
  /** Whether the picture itself has a name at the bottom. */
  atTop: boolean
  /** Whether the bottom right corner is taken. */
  narrow: boolean
  member: MeetingMember
  self: boolean
  /** Place among the raised hands, 1 for the first; 0 if the hand is not raised. */
  hand: number
  reactions: readonly ShownReaction[]
}

function TileLabel({ tile, named, atTop, narrow, member, self, hand, reactions }: TileLabelProps) {
  const screen = member.type === 'screen'
  const muted = member.audioMuted && !screen
  return (
    <div
      className={classNames(
        'absolute rounded-lg border-2 transition-colors duration-200',
        member.talking && !member.audioMuted ? 'border-talking' : 'border-transparent',
      )}
      style={tileBox(tile)}
    >
      <FloatingReactions reactions={reactions} />
      {hand > 0 && (
        <span className="absolute top-1.5 right-1.5 flex min-h-6 items-center gap-1 rounded-sm bg-hand px-1.5 text-xs font-semibold text-on-hand tabular-nums sm:top-2.5 sm:right-2.5 sm:text-sm">
          <Hand className="size-3.5 shrink-0" />
          {numberText(hand)}
        </span>
      )}
      {(named || muted || screen) && (
        <span
          className={classNames(
            'absolute left-1.5 flex min-h-6 items-center gap-1.5 rounded-sm bg-stage-label px-2 py-0.5 text-xs font-medium sm:left-2.5 sm:text-sm',
            atTop ? 'top-1.5 sm:top-2.5' : 'bottom-1.5 sm:bottom-2.5',
            narrow ? 'max-w-[calc(100%-4.5rem)]' : 'max-w-[calc(100%-0.75rem)]',
          )}
        >
          {muted && <MicOff className="size-3.5 shrink-0" />}
          {screen && <MonitorUp className="size-3.5 shrink-0" />}
          {named && (
            <span className="truncate">
              {self ? t('meeting.name-of-self', { name: member.name }) : <bdi>{member.name}</bdi>}
            </span>
          )}
        </span>
      )}
    </div>
  )
}
