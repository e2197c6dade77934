import { useEffect } from 'react'

/** Keeps the screen of a phone on while the component is shown, if the browser supports it. */
export function useWakeLock(): void {
  useEffect(() => {
    let lock: WakeLockSentinel | null = null
    let gone = false
    // The browser releases the lock whenever the page is hidden.
    const take = async () => {
      if (document.visibilityState !== 'visible') return
      lock = (await navigator.wakeLock?.request('screen').catch(() => null)) ?? null
      if (gone) await lock?.release()
    }
    void take()
    document.addEventListener('visibilitychange', take)
    return () => {
      gone = true
      document.removeEventListener('visibilitychange', take)
      void lock?.release()
    }
  }, [])
}
