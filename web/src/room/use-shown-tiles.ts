import { useEffect, useState } from 'react'
import { flushSync } from 'react-dom'
import type { MeetingTile } from './meeting-state.ts'
import { overlaps } from './stage-views.ts'

/**
 * After this time the server has composed and encoded the first frame of a new arrangement. Measured: 20 to 150 ms from
 * the news to the arrival of that frame, on a busy machine.
 */
const composingMs = 160
/** No frames come while the tab is hidden, and before the first one. */
const withoutFramesMs = 900

/** What the picture shows, as far as the page knows. */
export interface ShownTiles {
  /** The arrangement that the picture shows. */
  tiles: readonly MeetingTile[]
  /** The tiles of it that certainly lie where they are told to. The others are just moving. */
  settled: readonly MeetingTile[]
}

/**
 * The news of an arrangement arrives earlier than the picture of it, which waits in the browser until sound and picture
 * are in step. Labels that came with the news would name the wrong people meanwhile. So the labels of tiles that move go
 * with the news, and come back with the picture.
 * @param element contains the composed picture
 * @param told the arrangement that the server told last
 */
export function useShownTiles(element: HTMLElement, told: readonly MeetingTile[]): ShownTiles {
  const [tiles, setTiles] = useState(told)
  useEffect(() => {
    const toldAt = performance.now()
    const video = element.querySelector('video')
    const show = () => setTiles(told)
    const timer = setTimeout(show, withoutFramesMs)
    let request = 0
    const look: VideoFrameRequestCallback = (now, { receiveTime = now }) => {
      // Without flushSync the browser would paint the frame once before the labels follow.
      if (receiveTime >= toldAt + composingMs) flushSync(show)
      else request = video?.requestVideoFrameCallback?.(look) ?? 0
    }
    request = video?.requestVideoFrameCallback?.(look) ?? 0
    return () => {
      clearTimeout(timer)
      video?.cancelVideoFrameCallback?.(request)
    }
  }, [element, told])
  return { tiles, settled: settledTiles(tiles, told) }
}

/** Returns the tiles that have the same place in both arrangements, and are not newly covered. */
export function settledTiles(
  shown: readonly MeetingTile[],
  told: readonly MeetingTile[],
): readonly MeetingTile[] {
  if (shown === told) return shown
  const others = told.filter((tile) => !shown.some((one) => isSame(one, tile)))
  return shown.filter(
    (tile) => told.some((one) => isSame(one, tile)) && !others.some((one) => overlaps(one, tile)),
  )
}

const isSame = (one: MeetingTile, other: MeetingTile): boolean =>
  one.memberId === other.memberId &&
  one.x === other.x &&
  one.y === other.y &&
  one.width === other.width &&
  one.height === other.height
