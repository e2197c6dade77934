import { pino } from 'pino'
import type { ConnectionTarget, PlaybackEnd, PlaybackState } from '../../media/channel.ts'
import type { YuvColour } from '../../media-worker/codecs/picture.ts'
import { AudioMixer } from '../../media-worker/mixer/audio-mixer.ts'
import { VideoMixer } from '../../media-worker/mixer/video-mixer.ts'
import { RoomPlaybacks } from '../../media-worker/playback/room-playbacks.ts'
import { toneAmplitude } from './test-listener.ts'

const WIDTH = 320
const HEIGHT = 180

/** A file as the room has it at one moment: the colour in the middle of the canvas, by name. */
type SeenColour = 'red' | 'green' | 'blue' | 'none'

/** A room that plays files in real time, with what is seen and heard in it. */
export class PlayingRoom {
  readonly playbacks: RoomPlaybacks
  readonly changes: ({ playbackId: string } & PlaybackState)[] = []
  readonly ended: { playbackId: string; reason: PlaybackEnd; positionMs: number; atMs: number }[] = []
  /** Addresses that were judged, in order. */
  readonly judged: string[] = []
  /** Decides about addresses. By default all lead to where they say. */
  judge: (url: URL) => ConnectionTarget | null = directly
  readonly seen: { atMs: number; colour: SeenColour; yuv: YuvColour }[] = []
  readonly heard: { atMs: number; pcm: Float32Array }[] = []
  readonly #video: VideoMixer
  readonly #audio: AudioMixer

  constructor() {
    this.#video = new VideoMixer({
      width: WIDTH,
      height: HEIGHT,
      fps: 30,
      onFrame: () => {},
      onPicture: (canvas, nowMs) => {
        const yuv = canvas.colourAt(WIDTH / 2, HEIGHT / 2)
        this.seen.push({ atMs: nowMs, colour: nameOf(yuv), yuv })
      },
      onKeyframeWanted: () => {},
    })
    this.#audio = new AudioMixer({
      onPacket: () => {},
      onMix: (pcm, atMs) => this.heard.push({ atMs, pcm: Float32Array.from(pcm) }),
      onTalking: () => {},
    })
    this.playbacks = new RoomPlaybacks({
      video: this.#video,
      audio: this.#audio,
      log: pino({ level: 'silent' }),
      onChanged: (playbackId, state) => this.changes.push({ playbackId, ...state }),
      onEnded: (playbackId, reason, positionMs) =>
        this.ended.push({ playbackId, reason, positionMs, atMs: performance.now() }),
      onAddressWanted: ({ questionId, url }) => {
        this.judged.push(url)
        setImmediate(() => this.playbacks.giveAddress(questionId, this.judge(new URL(url))))
      },
    })
    this.#video.setH264Enabled(true)
    this.#video.start()
    this.#audio.start()
  }

  show(...playbackIds: string[]): void {
    this.#video.setTiles(
      playbackIds.map((playbackId) => ({ playbackId, x: 0, y: 0, width: 100, height: 100 })),
    )
  }

  get colour(): SeenColour {
    return this.seen.at(-1)?.colour ?? 'none'
  }

  /** Amplitude of a tone in the last 100 ms of the mix. */
  tone(frequency: number): number {
    const last = this.heard.slice(-5).flatMap(({ pcm }) => [...pcm])
    return last.length === 0 ? 0 : toneAmplitude(Float32Array.from(last), frequency)
  }

  /** When a colour was first seen, by `performance.now()`. */
  firstSeenMs(colour: SeenColour): number {
    return this.seen.find((seen) => seen.colour === colour)?.atMs ?? Number.NaN
  }

  /** When a tone was first the loudest, to about 20 ms. */
  firstHeardMs(frequency: number): number {
    return this.heard.find(({ pcm }) => toneAmplitude(pcm, frequency) > 0.15)?.atMs ?? Number.NaN
  }

  /**
   * By how much a colour and a tone that begin together in the file do so in the room, in milliseconds. A picture that was not
   * composed, because the machine was busy, counts for nothing.
   */
  outOfStepMs(colour: SeenColour, frequency: number): number {
    const index = this.seen.findIndex((seen) => seen.colour === colour)
    const [before, first] = [this.seen[index - 1], this.seen[index]]
    const heardMs = this.firstHeardMs(frequency)
    if (!before || !first) return Number.NaN
    return Math.max(0, before.atMs - heardMs, heardMs - first.atMs)
  }

  async close(): Promise<void> {
    await this.playbacks.close()
    this.#video.stop()
    this.#audio.stop()
  }
}

/** A judge that lets everything be opened, without looking up names. */
export function directly({ protocol, hostname, port }: URL): ConnectionTarget {
  const tls = protocol === 'https:' || protocol === 'rtmps:'
  return { host: hostname, address: hostname, port: Number(port) || (tls ? 443 : 80), tls }
}

function nameOf({ y, u, v }: YuvColour): SeenColour {
  if (v > 200) return 'red'
  if (u > 200) return 'blue'
  return y > 40 && u < 110 && v < 110 ? 'green' : 'none'
}
