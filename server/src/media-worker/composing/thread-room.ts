import { restoreFrame } from '../codecs/frame-copy.ts'
import type { DecodedPicture } from '../codecs/video-decoder.ts'
import type { EncodedVideoFrame } from '../media-types.ts'
import { type FilePicture, VideoMixer } from '../mixer/video-mixer.ts'
import { Preview } from '../outputs/preview.ts'
import type { ComposedFrame, FromThread, PictureOptions, ToThread } from './messages.ts'

/**
 * A frame that waited longer than this is not decoded: the cameras alone are more than the thread can do. Its pictures would get
 * later and later otherwise. Longer than the start of a thread takes.
 */
const MOST_LAG_MS = 1000

export interface ThreadRoomOptions {
  room: number
  picture: PictureOptions
  /** The clock of the loop of packets. */
  now: () => number
  /** To the loop of packets. */
  send: (message: FromThread, transfer?: ArrayBuffer[]) => void
  /** @returns whether the loop of packets takes it; else it is far behind, and the picture is lost */
  sendFrame: (frame: ComposedFrame) => boolean
  /** Ticks at which a picture was made, or for which there was no time. */
  countTicks: (made: number, leftOut: number) => void
  /** An encode of a picture, with the time that it took. */
  countEncode: (tookMs: number) => void
}

/** A message to a room that is open. */
export type RoomMessage = Exclude<ToThread, { kind: 'open' | 'close' | 'end' }>

/** A room inside the thread: its mixer, and its preview. */
export class ThreadRoom {
  readonly #options: ThreadRoomOptions
  readonly #mixer: VideoMixer
  readonly #preview: Preview | null
  readonly #files = new Map<string, SentPicture>()

  constructor(options: ThreadRoomOptions) {
    const { room, picture, now, send, countTicks, countEncode } = options
    const { previewFile, ...canvas } = picture
    this.#options = options
    this.#preview =
      previewFile === null
        ? null
        : new Preview({
            file: previewFile,
            onFailed: (error) => send({ kind: 'preview failed', room, error }),
          })
    this.#mixer = new VideoMixer({
      ...canvas,
      now,
      countTicks,
      countEncode,
      guard: (where, work) => this.#guard(where, work),
      onFrame: (frame) => this.#sendFrame(frame),
      onPicture: (drawn, nowMs) => this.#preview?.write(drawn, nowMs),
      onKeyframeWanted: (memberId) => send({ kind: 'keyframe wanted', room, memberId }),
    })
    this.#mixer.start()
  }

  /** Does what the loop of packets asks. A fault is told to it. */
  readonly take = (message: RoomMessage): void => this.#guard('picture', () => this.#take(message))()

  /** Frees everything native at once. Resolves when the files of the preview are gone. */
  async close(): Promise<void> {
    this.#mixer.stop()
    for (const file of this.#files.values()) file.close()
    this.#files.clear()
    await this.#preview?.close()
  }

  #take(message: RoomMessage): void {
    switch (message.kind) {
      case 'frame':
        this.#takeFrame(message)
        break
      case 'file':
        this.#showFile(message.playbackId, message.picture)
        break
      case 'call': {
        Reflect.apply(this.#mixer[message.method], this.#mixer, message.args)
        if (message.method === 'removeFile') this.#forgetFile(message.args[0])
      }
    }
  }

  #takeFrame({ memberId, frame, showAtMs }: Extract<RoomMessage, { kind: 'frame' }>): void {
    const nowMs = this.#options.now()
    if (nowMs - frame.arrivedAtMs > MOST_LAG_MS) this.#mixer.skipFrame(memberId, nowMs)
    else this.#mixer.pushFrame(memberId, frame, showAtMs)
  }

  #showFile(playbackId: string, copy: Parameters<typeof restoreFrame>[0]): void {
    let file = this.#files.get(playbackId)
    if (!file) {
      file = new SentPicture()
      this.#files.set(playbackId, file)
      this.#mixer.addFile(playbackId, file)
    }
    try {
      file.show(restoreFrame(copy))
    } finally {
      const { room, send } = this.#options
      send({ kind: 'file taken', room, playbackId, memory: copy.memory }, [copy.memory])
    }
  }

  #forgetFile(playbackId: string): void {
    this.#files.get(playbackId)?.close()
    this.#files.delete(playbackId)
  }

  #sendFrame({ encoding, data, keyframe, rtpTimestamp, capturedAtMs }: EncodedVideoFrame): void {
    const { room, sendFrame } = this.#options
    // Not a Buffer: those share their memory with others.
    const copy = new Uint8Array(data)
    if (!sendFrame({ kind: 'frame', room, encoding, data: copy, keyframe, rtpTimestamp, capturedAtMs }))
      this.#mixer.requestKeyframe(encoding)
  }

  #guard<A extends unknown[]>(where: string, work: (...args: A) => void): (...args: A) => void {
    return (...args) => {
      try {
        work(...args)
      } catch (thrown) {
        const { room, send } = this.#options
        const error = thrown instanceof Error ? thrown : new Error(String(thrown))
        send({ kind: 'fault', room, where, error })
      }
    }
  }
}

/** The picture of a played file, as the loop of packets has sent it. */
class SentPicture implements FilePicture {
  picture: DecodedPicture | null = null
  version = 0

  show(picture: DecodedPicture): void {
    this.picture?.release()
    this.picture = picture
    this.version++
  }

  /** The loop of packets moves on to the next picture. */
  advance(): void {}

  close(): void {
    this.picture?.release()
    this.picture = null
  }
}
