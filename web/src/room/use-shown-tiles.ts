import { useEffect, useState } from 'react'
import { flushSync } from 'react-dom'
import type { MeetingTile } from './meeting-state.ts'

/** From the moment the server tells the new arrangement until it has composed and encoded the first frame of it. */
const composingMs = 70
/** No frames come while the tab is hidden, and before the first one. */
const withoutFramesMs = 600

/**
 * The arrangement that the picture shows. The news of a new one arrives earlier than the picture of it, which waits in
 * the browser until sound and picture are in step. Labels that came with the news would name the wrong people meanwhile.
 * @param element contains the composed picture
 * @param told the arrangement that the server told last
 */
export function useShownTiles(element: HTMLElement, told: readonly MeetingTile[]): readonly MeetingTile[] {
  const [shown, setShown] = useState(told)
  useEffect(() => {
    const toldAt = performance.now()
    const video = element.querySelector('video')
    const show = () => setShown(told)
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
  return shown
}
