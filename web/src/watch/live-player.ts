import Hls, { ErrorTypes, Events } from 'hls.js/light'
import { whetherItGoesOn } from './whether-it-goes-on.ts'

/** How far a player is. `refused`: the browser plays only what somebody asks it to. */
export type PlayerState = 'soon' | 'refused' | 'playing' | 'over' | 'unable'

/** Between two tries while there is no playlist. */
const RETRY_MS = 2000
/** How often it is asked whether a meeting that ended goes on. Only a server that had to end it says so, within seconds. */
const ASKED_AFTER_END = 5
/** A player that is behind plays so much faster. Nobody hears it. */
const CATCHING_UP = 1.1

/**
 * Plays a playlist of HLS in an element: by hls.js, or by the browser itself where it has no media source, as on older iPhones.
 * Where the server of a meeting was lost, its link leads on to the session in which the meeting goes on.
 * @returns ends it
 */
export function playLive(
  video: HTMLVideoElement,
  playlist: string,
  onState: (state: PlayerState) => void,
): () => void {
  const isPlayable = Hls.isSupported() || video.canPlayType('application/vnd.apple.mpegurl') !== ''
  if (!isPlayable) {
    onState('unable')
    return () => {}
  }
  let timer: ReturnType<typeof setTimeout> | undefined
  let hasPlayed = false
  let state: PlayerState = 'soon'
  const tell = (next: PlayerState) => {
    state = next
    onState(next)
  }
  const later = (work: () => void) => {
    clearTimeout(timer)
    timer = setTimeout(work, RETRY_MS)
  }
  const player = Hls.isSupported() ? playByHls(video, broken) : playByBrowser(video, broken)
  const begin = () => player.load(playlist)
  const again = () => {
    tell('soon')
    later(begin)
  }

  /** Nothing comes any more. */
  async function broken(): Promise<void> {
    const how = hasPlayed ? await whetherItGoesOn(playlist) : 'waits'
    if (how === 'over') tell('over')
    else again()
  }

  async function ended(asksLeft = ASKED_AFTER_END): Promise<void> {
    tell('over')
    const how = await whetherItGoesOn(playlist)
    if (how === 'new' || how === 'waits') again()
    else if (how === 'same' && asksLeft > 1) later(() => void ended(asksLeft - 1))
  }

  const playing = () => {
    hasPlayed = true
    tell('playing')
  }
  const atEnd = () => void ended()
  /** Some browsers begin nothing by themselves, not even without sound: Safari that saves power, or is told so. */
  const playable = () => {
    if (state !== 'soon' || !video.paused) return
    video.play().catch((error: unknown) => {
      if (error instanceof DOMException && error.name === 'NotAllowedError') tell('refused')
    })
  }
  video.addEventListener('loadedmetadata', playable)
  video.addEventListener('playing', playing)
  video.addEventListener('ended', atEnd)
  begin()
  return () => {
    clearTimeout(timer)
    video.removeEventListener('loadedmetadata', playable)
    video.removeEventListener('playing', playing)
    video.removeEventListener('ended', atEnd)
    player.destroy()
  }
}

interface Player {
  load(playlist: string): void
  destroy(): void
}

function playByHls(video: HTMLVideoElement, onBroken: () => void): Player {
  // A worker of its own would be a script that the page's policy does not let in.
  const hls = new Hls({ enableWorker: false, lowLatencyMode: true, maxLiveSyncPlaybackRate: CATCHING_UP })
  hls.on(Events.ERROR, (_, { fatal, type }) => {
    if (!fatal) return
    if (type === ErrorTypes.MEDIA_ERROR) hls.recoverMediaError()
    else onBroken()
  })
  hls.attachMedia(video)
  return { load: (playlist) => hls.loadSource(playlist), destroy: () => hls.destroy() }
}

function playByBrowser(video: HTMLVideoElement, onBroken: () => void): Player {
  video.addEventListener('error', onBroken)
  return {
    load(playlist) {
      video.src = playlist
    },
    destroy() {
      video.removeEventListener('error', onBroken)
      video.removeAttribute('src')
    },
  }
}
