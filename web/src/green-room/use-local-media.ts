import { useEffect, useState, useSyncExternalStore } from 'react'
import type { Choices } from './choices.ts'
import { LocalMedia, type LocalMediaSnapshot } from './local-media.ts'

/** Opens camera and microphone as chosen, and closes them when the component is removed. */
export function useLocalMedia(initial: Choices): { media: LocalMedia; state: LocalMediaSnapshot } {
  const [media] = useState(() => new LocalMedia())
  const state = useSyncExternalStore(media.subscribe, media.snapshot)

  // biome-ignore lint/correctness/useExhaustiveDependencies: later choices are acted on one by one
  useEffect(() => {
    void media.start(initial)
    return () => media.stop()
  }, [media])

  return { media, state }
}
