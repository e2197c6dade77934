import { setTimeout as sleep } from 'node:timers/promises'
import type { ByteSource } from '../codecs/media-demuxer.ts'
import type { AddressJudge } from './address-judge.ts'
import { BodyReader } from './body-reader.ts'
import { requestWeb, type WebAnswer } from './web-request.ts'

/** How often a connection that broke is made again for the same byte. */
const MOST_RETRIES = 2
const RETRY_MS = 1000
/** A jump forward of up to this many bytes is read, because a new request takes longer. */
const SKIPPED_BYTES = 256 * 1024

/** A file, or an endless transmission, on a web server. */
export class WebFile implements ByteSource {
  /** Where redirects led to. */
  readonly url: string
  readonly sizeInBytes: number | null
  /** The server did not say how long it is. */
  readonly isEndless: boolean
  readonly #judge: AddressJudge
  readonly #abort: AbortController
  #body: BodyReader | null
  /** Of the next byte of the body. */
  #bodyAt = 0
  /** Of the next byte that is read. */
  #position = 0
  /** The first bytes, which were read to find out what it is. */
  #head: Buffer = Buffer.alloc(0)

  /** @throws Error when it cannot be had */
  static async open(url: string, judge: AddressJudge, closed: AbortSignal): Promise<WebFile> {
    const abort = new AbortController()
    closed.addEventListener('abort', () => abort.abort(), { once: true })
    if (closed.aborted) abort.abort()
    const answer = await requestWeb(url, { judge, signal: abort.signal, from: 0 })
    return new WebFile(answer, judge, abort)
  }

  private constructor(answer: WebAnswer, judge: AddressJudge, abort: AbortController) {
    this.url = answer.url
    this.sizeInBytes = sizeOf(answer)
    this.isEndless = this.sizeInBytes === null && answer.headers['content-length'] === undefined
    this.#judge = judge
    this.#abort = abort
    this.#body = new BodyReader(answer.body)
  }

  /** The first bytes, without taking them. To be called before anything is read. */
  async peek(size: number): Promise<Buffer> {
    this.#head = Buffer.from((await this.read(size)) ?? [])
    this.#position = 0
    return this.#head
  }

  async read(size: number): Promise<Buffer | null> {
    if (this.#position < this.#head.length) {
      const data = this.#head.subarray(this.#position, this.#position + size)
      this.#position += data.length
      return data
    }
    if (this.sizeInBytes !== null && this.#position >= this.sizeInBytes) return null
    for (let retries = 0; ; retries++) {
      try {
        const data = await (await this.#bodyAtPosition()).read(size)
        if (data === null && this.sizeInBytes !== null)
          throw new Error('the file is shorter than the server said')
        this.#bodyAt += data?.length ?? 0
        this.#position = this.#bodyAt
        return data
      } catch (error) {
        this.#dropBody()
        // Without its size it is a transmission that has no place to go on from.
        if (this.#abort.signal.aborted || this.sizeInBytes === null || retries >= MOST_RETRIES) throw error
        await sleep(RETRY_MS, undefined, { signal: this.#abort.signal })
      }
    }
  }

  seek(offset: number): void {
    this.#position = offset
  }

  close(): void {
    this.#abort.abort()
    this.#dropBody()
  }

  #dropBody(): void {
    this.#body?.close()
    this.#body = null
  }

  /** The body, read on or requested anew so that it goes on at the position. */
  async #bodyAtPosition(): Promise<BodyReader> {
    const ahead = this.#position - this.#bodyAt
    if (ahead < 0 || ahead > SKIPPED_BYTES) this.#dropBody()
    if (!this.#body) {
      this.#body = await this.#request()
      this.#bodyAt = this.#position
    }
    while (this.#bodyAt < this.#position) {
      const skipped = await this.#body.read(this.#position - this.#bodyAt)
      if (!skipped) throw new Error('the file is shorter than the server said')
      this.#bodyAt += skipped.length
    }
    return this.#body
  }

  async #request(): Promise<BodyReader> {
    const { signal } = this.#abort
    const answer = await requestWeb(this.url, { judge: this.#judge, signal, from: this.#position })
    if (answer.status !== 206) {
      answer.body.destroy()
      throw new Error('the server does not give parts of the file any more')
    }
    return new BodyReader(answer.body)
  }
}

/** @returns null where the length is not known, or parts cannot be asked for */
function sizeOf({ status, headers }: WebAnswer): number | null {
  if (status !== 206) return null
  const [, total] = /^bytes 0-\d+\/(\d+)$/.exec(headers['content-range'] ?? '') ?? []
  return total === undefined ? null : Number(total)
}
