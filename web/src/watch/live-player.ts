import Hls, { ErrorTypes, Events } from 'hls.js/light'

/** How far a player is. */
export type PlayerState = 'soon' | 'playing' | 'over' | 'unable'

/** Between two tries while there is no playlist. */
const RETRY_MS = 2000
/** A player that is behind plays so much faster. Nobody hears it. */
const CATCHING_UP = 1.1

/**
 * Plays a playlist of HLS in an element: by hls.js, or by the browser itself where it has no media source, as on older iPhones.
 * @returns ends it
 */
export function playLive(
  video: HTMLVideoElement,
  playlist: string,
  onState: (state: PlayerState) => void,
): () => void {
  if (Hls.isSupported()) return playByHls(video, playlist, onState)
  if (!video.canPlayType('application/vnd.apple.mpegurl')) {
    onState('unable')
    return () => {}
  }
  video.src = playlist
  const playing = () => onState('playing')
  const ended = () => onState('over')
  video.addEventListener('playing', playing)
  video.addEventListener('ended', ended)
  return () => {
    video.removeEventListener('playing', playing)
    video.removeEventListener('ended', ended)
    video.removeAttribute('src')
  }
}

function playByHls(
  video: HTMLVideoElement,
  playlist: string,
  onState: (state: PlayerState) => void,
): () => void {
  // A worker of its own would be a script that the page's policy does not let in.
  const hls = new Hls({ enableWorker: false, lowLatencyMode: true, maxLiveSyncPlaybackRate: CATCHING_UP })
  let retry: ReturnType<typeof setTimeout> | undefined
  let hasPlayed = false
  const playing = () => {
    hasPlayed = true
    onState('playing')
  }
  const ended = () => onState('over')
  video.addEventListener('playing', playing)
  video.addEventListener('ended', ended)
  hls.on(Events.ERROR, (_, { fatal, type }) => {
    if (!fatal) return
    if (type === ErrorTypes.MEDIA_ERROR) hls.recoverMediaError()
    else if (hasPlayed) onState('over')
    else {
      onState('soon')
      retry = setTimeout(() => hls.loadSource(playlist), RETRY_MS)
    }
  })
  hls.attachMedia(video)
  hls.loadSource(playlist)
  return () => {
    clearTimeout(retry)
    video.removeEventListener('playing', playing)
    video.removeEventListener('ended', ended)
    hls.destroy()
  }
}
