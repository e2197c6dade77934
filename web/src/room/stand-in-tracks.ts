/**
 * Who joins with the camera off still needs a video line in the call, to turn it on later. These tracks keep the line:
 * black and silent, and no device is touched. The client swaps them for the real ones on the first unmute.
 */
export function standInVideoTrack(): MediaStreamTrack {
  const canvas = document.createElement('canvas')
  canvas.width = 320
  canvas.height = 180
  canvas.getContext('2d')?.fillRect(0, 0, canvas.width, canvas.height)
  const track = canvas.captureStream(1).getVideoTracks()[0]
  if (!track) throw new Error('This browser cannot make a video track.')
  return track
}

/** @param context is in use until the track is stopped */
export function standInAudioTrack(context: AudioContext): MediaStreamTrack {
  const track = context.createMediaStreamDestination().stream.getAudioTracks()[0]
  if (!track) throw new Error('This browser cannot make an audio track.')
  return track
}
