import { useEffect, useState } from 'react'

/** The server makes a clip every 20 seconds. */
const EVERY_MS = 20_000
/** Until the first clip is there. */
const SOON_MS = 3000

/**
 * The clip of a running room as an object URL, read again at the rate at which the server makes new ones. A clip that is
 * the same costs an answer without a body. Nothing is read while nobody looks.
 * @param url null if the room has no preview
 * @returns null until there is a clip
 */
export function usePreview(url: string | null, isVisible: boolean): string | null {
  const [clip, setClip] = useState<string | null>(null)
  useEffect(() => {
    if (url === null || !isVisible) return
    const end = new AbortController()
    void follow(ownPath(url), setClip, end.signal)
    return () => end.abort()
  }, [url, isVisible])
  useEffect(() => {
    if (clip !== null) return () => URL.revokeObjectURL(clip)
  }, [clip])
  return url === null ? null : clip
}

/** The link names the public host. The page asks the host that it came from. */
function ownPath(url: string): string {
  const { pathname, search } = new URL(url, location.origin)
  return pathname + search
}

async function follow(path: string, onClip: (clip: string) => void, signal: AbortSignal): Promise<void> {
  let version: string | null = null
  while (!signal.aborted) {
    const answer = document.hidden ? null : await read(path, signal)
    if (answer?.ok && answer.headers.get('etag') !== version) {
      version = answer.headers.get('etag')
      const blob = await answer.blob().catch(() => null)
      if (blob && !signal.aborted) onClip(URL.createObjectURL(blob))
    } else {
      await answer?.body?.cancel()
    }
    await passed(version === null ? SOON_MS : EVERY_MS, signal)
  }
}

/** The browser sends along which clip it has. The signature in the address admits to it. */
const read = (path: string, signal: AbortSignal): Promise<Response | null> =>
  fetch(path, { cache: 'no-cache', credentials: 'omit', signal }).catch(() => null)

function passed(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
