import type { Readiness } from '../green-room/readiness.ts'
import type { RoomSession } from './client.ts'

/** The longest time for a camera or microphone to start again. */
const startMs = 4_000
const lookEveryMs = 100

/** Whether the green room passed on a running device of this kind. */
export function isRunning(ready: Readiness, kind: 'audio' | 'video'): boolean {
  return ready.tracks.some((track) => track.kind === kind)
}

/**
 * The tracks to join with. If the camera is off, the call still needs a video line, so that the camera can be turned on
 * later. A stand-in track keeps the line. It is black or silent, and uses no device. The client replaces it with the
 * real track on the first unmute.
 * @param silence is in use as long as the call lasts
 */
export function tracksToSend(ready: Readiness, silence: AudioContext): MediaStreamTrack[] {
  return [
    ...ready.tracks,
    ...(ready.microphoneUsable && !isRunning(ready, 'audio') ? [standInAudioTrack(silence)] : []),
    ...(ready.cameraUsable && !isRunning(ready, 'video') ? [standInVideoTrack()] : []),
  ]
}

/** Waits until an unmuted device sends again. @returns false if it does not start; the client hides that error */
export async function startsSending(session: RoomSession, kind: 'audio' | 'video'): Promise<boolean> {
  const deadline = performance.now() + startMs
  for (;;) {
    const tracks = session.localStream?.getTracks() ?? []
    if (tracks.some((track) => track.kind === kind && track.readyState === 'live')) return true
    if (performance.now() > deadline) return false
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs))
  }
}

function standInVideoTrack(): MediaStreamTrack {
  const canvas = document.createElement('canvas')
  canvas.width = 320
  canvas.height = 180
  canvas.getContext('2d')?.fillRect(0, 0, canvas.width, canvas.height)
  const track = canvas.captureStream(1).getVideoTracks()[0]
  if (!track) throw new Error('This browser cannot make a video track.')
  return track
}

function standInAudioTrack(context: AudioContext): MediaStreamTrack {
  const track = context.createMediaStreamDestination().stream.getAudioTracks()[0]
  if (!track) throw new Error('This browser cannot make an audio track.')
  return track
}
