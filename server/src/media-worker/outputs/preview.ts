import { rename, rm } from 'node:fs/promises'
import { Mp4Muxer } from '../codecs/mp4-muxer.ts'
import type { Picture } from '../codecs/picture.ts'
import { PreviewEncoder } from './preview-encoder.ts'
import { draftOf } from './preview-files.ts'

/** A clip begins this often; between clips nothing is done. */
const PERIOD_MS = 20_000
const CLIP_PICTURES = 20

export interface PreviewOptions {
  /** Absolute path of the newest clip, which replaces the one before at once. Absent until the first is complete. */
  file: string
  /** A clip could not be made; the next one is tried all the same. */
  onFailed: (error: Error) => void
}

/** A small clip of the room without sound, renewed now and then. */
export class Preview {
  readonly #options: PreviewOptions
  /** Where a clip grows. */
  readonly #draft: string
  readonly #encoder = new PreviewEncoder()
  #muxer: Mp4Muxer | null = null
  #pictures = 0
  #nextPictureMs = Number.NEGATIVE_INFINITY
  #nextClipMs = Number.NEGATIVE_INFINITY
  /** A clip that is being put in place, or taken away. */
  #writing: Promise<void> = Promise.resolve()
  #closed = false

  constructor(options: PreviewOptions) {
    this.#options = options
    this.#draft = draftOf(options.file)
  }

  /** Takes a composed picture, if one is due. Reads it during the call only. */
  write(picture: Picture, nowMs: number): void {
    if (this.#closed || nowMs < this.#nextPictureMs) return
    if (this.#pictures === 0 && nowMs < this.#nextClipMs) return
    if (this.#pictures === 0) this.#nextClipMs = nowMs + PERIOD_MS
    this.#nextPictureMs = nowMs + PreviewEncoder.pictureMs
    try {
      this.#add(picture)
    } catch (error) {
      this.#drop(error as Error)
    }
  }

  /** Ends it and removes its files. */
  async close(): Promise<void> {
    this.#closed = true
    this.#encoder.close()
    const muxer = this.#muxer
    this.#muxer = null
    await this.#writing
    await muxer?.abandon()
    await rm(this.#draft, { force: true })
    await rm(this.#options.file, { force: true })
  }

  #add(picture: Picture): void {
    this.#encoder.encode(picture, this.#pictures, (data, timestamp, duration, header) => {
      if (header !== null) this.#muxer = this.#openMuxer(header)
      this.#muxer?.writeVideo(data, timestamp, duration, header !== null)
    })
    if (++this.#pictures === CLIP_PICTURES) this.#complete()
  }

  #openMuxer(videoHeader: Buffer): Mp4Muxer {
    const { width, height, fps } = PreviewEncoder
    const muxer: Mp4Muxer = new Mp4Muxer({
      file: this.#draft,
      width,
      height,
      fps,
      videoHeader,
      audioHeader: null,
      onError: (error) => {
        if (this.#muxer === muxer) this.#drop(error)
      },
    })
    return muxer
  }

  #complete(): void {
    const muxer = this.#muxer
    this.#forgetClip()
    this.#writing = (async () => {
      await muxer?.finish()
      if (!this.#closed) await rename(this.#draft, this.#options.file)
    })().catch(this.#options.onFailed)
  }

  #drop(error: Error): void {
    const muxer = this.#muxer
    this.#forgetClip()
    this.#writing = muxer?.abandon() ?? Promise.resolve()
    this.#options.onFailed(error)
  }

  #forgetClip(): void {
    this.#muxer = null
    this.#pictures = 0
    this.#encoder.restart()
  }
}
