import { useEffect, useState } from 'react'

/** Events of the client's video element after which it may show another stream. They reach ancestors only in capture. */
const events = ['loadstart', 'loadedmetadata', 'playing'] as const

/** The stream of the composed picture, null before there is one. The client replaces it when the own role changes. */
export function useComposedStream(element: HTMLElement): MediaStream | null {
  const [stream, setStream] = useState<MediaStream | null>(null)
  useEffect(() => {
    const update = () => {
      const source = element.querySelector('video')?.srcObject
      setStream(source instanceof MediaStream ? source : null)
    }
    update()
    for (const event of events) element.addEventListener(event, update, true)
    return () => {
      for (const event of events) element.removeEventListener(event, update, true)
    }
  }, [element])
  return stream
}
