import { Maximize2 } from 'lucide-react'
import { type MouseEvent, useRef } from 'react'
import { t } from '../languages/texts.ts'
import type { MeetingState, MeetingTile } from './meeting-state.ts'
import type { MeetingMember } from './members.ts'
import { tileBox } from './tile-box.ts'

/** Two taps within this time are one choice. */
const twiceWithinMs = 400

interface TileButtonsProps {
  state: MeetingState
  tiles: readonly MeetingTile[]
  /** Whose tile is large already. The stage has a button for the way back. */
  main: string | null
  oneClick: boolean
  onChoose: (memberId: string, byKeyboard: boolean) => void
}

/** A button over each tile that shows it large for oneself. */
export function TileButtons({ state, tiles, main, oneClick, onChoose }: TileButtonsProps) {
  const last = useRef({ memberId: '', atMs: Number.NEGATIVE_INFINITY })

  function clicked(event: MouseEvent<HTMLElement>, memberId: string): void {
    const byKeyboard = isVirtual(event.nativeEvent)
    const onIcon = event.target instanceof Element && event.target.closest('[data-enlarge]') !== null
    const before = last.current
    const isSecond = before.memberId === memberId && event.timeStamp - before.atMs < twiceWithinMs
    if (oneClick || onIcon || byKeyboard || isSecond) {
      last.current = { memberId: '', atMs: Number.NEGATIVE_INFINITY }
      onChoose(memberId, byKeyboard)
    } else last.current = { memberId, atMs: event.timeStamp }
  }

  return tiles.map((tile) => {
    const member = state.members.find(({ id }) => id === tile.memberId)
    if (!member) return null
    const isMain = tile.memberId === main && !oneClick
    return (
      <button
        key={tile.memberId}
        type="button"
        aria-label={labelOf(member, state.selfId)}
        {...(isMain ? { tabIndex: -1, 'aria-hidden': true } : {})}
        onClick={(event) => clicked(event, tile.memberId)}
        className="group absolute touch-manipulation rounded-lg -outline-offset-4"
        style={tileBox(tile)}
      >
        {!oneClick && !isMain && (
          <span
            data-enlarge
            className="absolute top-1.5 left-1.5 grid size-8 place-items-center rounded-full bg-stage-label opacity-0 transition-opacity group-hover:opacity-100 group-focus-visible:opacity-100"
          >
            <Maximize2 aria-hidden className="size-4" />
          </span>
        )}
      </button>
    )
  })
}

function labelOf({ id, name, type }: MeetingMember, selfId: string | null): string {
  if (type === 'screen') return t('meeting.show-screen-of-member-large', { name })
  return id === selfId ? t('meeting.show-self-large') : t('meeting.show-member-large', { name })
}

/** Whether a key or a screen reader made the click. Screen readers of Android send a pointer with a pressed button. */
function isVirtual(event: globalThis.MouseEvent): boolean {
  const pointer = event instanceof PointerEvent ? event.pointerType : ''
  return pointer === '' ? event.detail === 0 : event.buttons === 1
}
