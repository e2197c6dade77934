import { Maximize2, Minimize2 } from 'lucide-react'
import { useCallback, useEffect, useRef, useState } from 'react'
import { t } from '../languages/texts.ts'
import { classNames } from '../ui/class-names.ts'
import type { Meeting } from './meeting.ts'
import type { MeetingState } from './meeting-state.ts'
import { PictureCopy, PictureView } from './picture-view.tsx'
import { type FocusFacts, focusOf, shareOf, type Wish, wholeWish, wishBack } from './stage-focus.ts'
import { isUpright, type Rectangle, stageViews, uncovered } from './stage-views.ts'
import { useComposedStream } from './use-composed-stream.ts'
import { useShownTiles } from './use-shown-tiles.ts'
import { useSize } from './use-size.ts'
import { useSpeaker } from './use-speaker.ts'

/**
 * The composed picture, as large as the space allows. On an upright stage it is cut into the tile of who speaks and a
 * strip of the others. Everybody can see one tile large for themselves.
 */
export function Stage({ meeting, state }: { meeting: Meeting; state: MeetingState }) {
  const place = useRef<HTMLDivElement>(null)
  const size = useSize(place)
  const stream = useComposedStream(meeting.element)
  const shown = useShownTiles(meeting.element, state.tiles)
  const tiles = uncovered(shown.tiles)
  const settled = uncovered(shown.settled)
  const speaker = useSpeaker(state.members, state.selfId)
  const [wish, setWish] = useState<Wish>({ is: 'by-itself' })
  const upright = size !== null && isUpright(size)
  const facts = { tiles, members: state.members, selfId: state.selfId, speaker, upright }
  const focus = focusOf(wish, facts)
  const main = focus.tile?.memberId ?? null
  const wayBack = useWayBack(wish, main, facts, setWish)
  const holder = useCallback(
    (node: HTMLDivElement) => {
      node.append(meeting.element)
      return () => meeting.element.remove()
    },
    [meeting],
  )
  const toggle = useRef<HTMLButtonElement>(null)
  const keepFocus = useRef(false)
  useEffect(() => {
    if (!keepFocus.current) return
    keepFocus.current = false
    const next = toggle.current ?? place.current?.closest('main')
    next?.focus()
  })

  const choose = (memberId: string, byKeyboard: boolean) => {
    keepFocus.current = byKeyboard
    if (memberId === main) wayBack()
    else setWish({ is: 'tile', memberId })
  }
  // A tile that is gone is not wished any more, also if its member comes back.
  const isGone = wish.is === 'tile' && !tiles.some(({ memberId }) => memberId === wish.memberId)
  if (isGone) setWish({ is: 'by-itself' })

  const views = size && stageViews(size, tiles, focus.tile, focus.entire)
  const common = { meeting, state, tiles, settled, onChoose: choose }
  const canEnlarge = main === null && focusOf({ is: 'by-itself' }, facts).tile !== null
  return (
    <div ref={place} className={classNames('absolute inset-0 overflow-hidden', upright && 'bg-stage')}>
      {views && (
        <>
          <PictureView
            {...common}
            view={views.main}
            alone={upright && main !== null}
            oneClick={false}
            hasCorner={main !== null || canEnlarge}
            className={upright ? '' : 'sm:rounded-xl sideways:rounded-none'}
          >
            <div ref={holder} className="composed-picture size-full" />
          </PictureView>
          {views.strip && (
            <div
              dir="ltr"
              className="absolute overflow-x-auto overflow-y-hidden"
              style={{ top: views.strip.box.y, width: views.strip.box.width, height: views.strip.box.height }}
            >
              {views.strip.views.map((view) => (
                <PictureView key={view.memberId} {...common} view={view} alone oneClick>
                  <PictureCopy stream={stream} />
                </PictureView>
              ))}
            </div>
          )}
          {(main !== null || canEnlarge) && (
            <button
              ref={toggle}
              type="button"
              aria-label={main === null ? enlargeLabel(facts) : t('meeting.show-whole-picture')}
              onClick={(event) => {
                keepFocus.current = event.detail === 0
                setWish(main === null ? { is: 'by-itself' } : wholeWish(facts))
              }}
              className="absolute z-1 grid size-11 place-items-center rounded-full bg-stage-label text-on-stage"
              style={cornerOf(views.main.box)}
            >
              {main === null ? <Maximize2 className="size-5" /> : <Minimize2 className="size-5" />}
            </button>
          )}
        </>
      )}
    </div>
  )
}

const enlargeLabel = (facts: FocusFacts): string =>
  t(shareOf(facts) ? 'meeting.show-screen-large' : 'meeting.show-speaker-large')

/** The bottom right corner of the main view. */
function cornerOf({ x, y, width, height }: Rectangle) {
  return { left: x + width - 44 - 8, top: y + height - 44 - 8 }
}

/** Escape goes the way back, unless something that is open used the key. */
function useWayBack(
  wish: Wish,
  main: string | null,
  facts: FocusFacts,
  setWish: (wish: Wish) => void,
): () => void {
  const back = () => setWish(wishBack(wish, facts))
  const latest = useRef(back)
  useEffect(() => {
    latest.current = back
  })
  const isCut = main !== null
  useEffect(() => {
    if (!isCut) return
    const pressed = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !event.defaultPrevented) latest.current()
    }
    window.addEventListener('keydown', pressed)
    return () => window.removeEventListener('keydown', pressed)
  }, [isCut])
  return back
}
