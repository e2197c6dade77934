import type { Compositor } from './composing/compositor.ts'
import type { AudioSource, ReceivedVideoFrame, VideoEncoding } from './media-types.ts'
import type { AudioMixer } from './mixer/audio-mixer.ts'

/**
 * What the legs of a room need of it, wherever it is mixed. Pictures and packets of sound come back by
 * `RoomLegs.publishVideo` and `RoomLegs.sendAudio`.
 */
export interface RoomMedia {
  /** Somebody joins or has lost the picture. May be called in bursts. */
  requestKeyframe(encoding: VideoEncoding): void
  /** bit/s of the H264 encode of the room's quality. */
  readonly fullBitrateBps: number
  /** What the slowest network of those who get this encode carries of it. */
  setBitrate(encoding: VideoEncoding, bitrateBps: number): void
  /**
   * From now on the leg hears the room as its member does. A listener that is there already is kept.
   * @param talksBack whether the leg may send sound: else it gets fewer, longer packets
   */
  addListener(legId: string, memberId: string, talksBack: boolean): void
  removeListener(legId: string): void
  /** What the leg reports as lost, in percent, and its packets should survive. */
  setExpectedLoss(legId: string, percent: number): void
  /** Where cameras and microphones go. Null where no leg may send. */
  readonly uplink: Uplink | null
}

/** The way of cameras and microphones into the room. */
export interface Uplink {
  /** A microphone that is there already is replaced. */
  addMicrophone(legId: string, memberId: string, source: AudioSource): void
  removeMicrophone(legId: string): void
  pushFrame(memberId: string, frame: ReceivedVideoFrame): void
  /** The camera's leg is gone. */
  endOfVideo(memberId: string): void
  /** Size and frame rate of the composed picture. */
  readonly picture: { width: number; height: number; fps: number }
  /** Whether this member's picture is a screen share. */
  isScreen(memberId: string): boolean
  /** The largest tile of this member in pixels, or null while it has none. */
  tileSize(memberId: string): { width: number; height: number } | null
}

/** What {@link mixedHere} needs beside the mixers. */
interface MixedHereOptions extends Pick<RoomMedia, 'fullBitrateBps' | 'setBitrate'> {
  picture: Uplink['picture']
}

/** The mixers of this process, for the legs of this process. */
export function mixedHere(video: Compositor, audio: AudioMixer, options: MixedHereOptions): RoomMedia {
  return {
    fullBitrateBps: options.fullBitrateBps,
    requestKeyframe: (encoding) => video.requestKeyframe(encoding),
    setBitrate: options.setBitrate,
    addListener: (legId, memberId, talksBack) => audio.addListener(legId, memberId, talksBack),
    removeListener: (legId) => audio.removeListener(legId),
    setExpectedLoss: (legId, percent) => audio.setExpectedLoss(legId, percent),
    uplink: {
      picture: options.picture,
      addMicrophone: (legId, memberId, source) => audio.addSource(legId, memberId, source),
      removeMicrophone: (legId) => audio.removeSource(legId),
      pushFrame: (memberId, frame) => video.pushFrame(memberId, frame),
      endOfVideo: (memberId) => video.endOfVideo(memberId),
      isScreen: (memberId) => video.isScreen(memberId),
      tileSize: (memberId) => video.tileSize(memberId),
    },
  }
}
