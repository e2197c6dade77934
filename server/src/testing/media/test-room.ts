import type { MemberMedia, Tile } from '../../media/channel.ts'
import type { ReceivedVideoFrame } from '../../media-worker/media-types.ts'
import { AudioMixer } from '../../media-worker/mixer/audio-mixer.ts'
import { CameraTiming } from '../../media-worker/mixer/camera-timing.ts'
import { LipSync } from '../../media-worker/mixer/lip-sync.ts'
import { VideoMixer } from '../../media-worker/mixer/video-mixer.ts'
import type { Recording } from '../../media-worker/outputs/recording.ts'
import { memberMedia } from './member-media.ts'

export const WIDTH = 640
export const HEIGHT = 360

/**
 * Both mixers and a recording, connected as in a room and driven by hand: 20 pictures and 50 ticks of sound a second,
 * in the order of a real clock.
 */
export class TestRoom {
  nowMs = 100_000
  readonly video: VideoMixer
  readonly audio: AudioMixer
  recording: Pick<Recording, 'writeVideo' | 'writeMix'> | null = null
  /** Called before each millisecond passes. Delivers what arrives from cameras. */
  onMillisecond: (nowMs: number) => void = () => {}
  readonly keyframesWanted: string[] = []
  readonly #timing: CameraTiming
  #nextPictureMs: number
  #nextSoundMs: number

  constructor() {
    const lipSync = new LipSync()
    this.#timing = new CameraTiming(lipSync, 20)
    this.video = new VideoMixer({
      width: WIDTH,
      height: HEIGHT,
      fps: 20,
      onFrame: (frame) => this.recording?.writeVideo(frame),
      onKeyframeWanted: (memberId) => this.keyframesWanted.push(memberId),
    })
    this.audio = new AudioMixer({
      lipSync,
      onPacket: () => {},
      onMix: (pcm, capturedAtMs) => this.recording?.writeMix(pcm, capturedAtMs),
      onTalking: () => {},
    })
    this.video.setH264Enabled(true)
    this.#nextPictureMs = this.nowMs + 7
    this.#nextSoundMs = this.nowMs + 3
  }

  setMember(memberId: string, changes: Partial<MemberMedia> = {}): void {
    const member = memberMedia(memberId, changes)
    this.video.setMember(member)
    this.audio.setMember(member)
  }

  setTiles(tiles: Tile[]): void {
    this.video.setTiles(tiles)
  }

  /** A frame of a member's camera arrives. */
  pushFrame(memberId: string, frame: ReceivedVideoFrame): void {
    this.video.pushFrame(memberId, frame, this.#timing.showAtMs(memberId, frame))
  }

  /** Lets time pass. */
  run(ms: number): void {
    const endMs = this.nowMs + ms
    for (; this.nowMs < endMs; this.nowMs++) {
      this.onMillisecond(this.nowMs)
      if (this.nowMs >= this.#nextSoundMs) {
        this.audio.tick(this.#nextSoundMs)
        this.#nextSoundMs += 20
      }
      if (this.nowMs >= this.#nextPictureMs) {
        this.video.tick(this.nowMs)
        this.#nextPictureMs += 50
      }
    }
  }

  close(): void {
    this.video.stop()
    this.audio.stop()
  }
}
