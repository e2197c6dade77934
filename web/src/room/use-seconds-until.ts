import { useEffect, useState } from 'react'

const lookEveryMs = 200

/**
 * Whole seconds until a time, counted down to 0. @param timeMs Unix milliseconds; null if there is nothing to wait for
 */
export function useSecondsUntil(timeMs: number | null): number {
  const left = () => (timeMs === null ? 0 : Math.max(0, Math.ceil((timeMs - Date.now()) / 1000)))
  const [, setShown] = useState(left)
  useEffect(() => {
    if (timeMs === null) return
    const look = () => setShown(Math.max(0, Math.ceil((timeMs - Date.now()) / 1000)))
    const timer = setInterval(look, lookEveryMs)
    return () => clearInterval(timer)
  }, [timeMs])
  return left()
}
