import type { Clock, Timer } from '../../clock.ts'
import { HEARTBEAT } from '../news/news-frames.ts'
import { NewsReader } from '../news/reader.ts'

/** Entries within this time are sent together, in milliseconds. */
export const TOGETHER_MS = 250
/** Entries that are sent together at most. With more, readers are told to read the list again. */
export const TOGETHER_MAX = 100
/** Proxies close a connection on which nothing comes for about a minute. */
const HEARTBEAT_MS = 15_000
/** How long a stream lasts. Then the client comes back, and its credentials are looked at again. */
const STREAM_MS = 5 * 60_000

/**
 * Sends new entries of a list to everybody who has it open. They are written once, whoever many read them, and not at
 * all without a reader. An event `begin` says that the stream is open: what was before is in the list. `entries` has
 * an array, oldest first. `gap` says that there were too many: the list has to be read again.
 */
export class Feed<Entry> {
  readonly #clock: Clock
  readonly #show: (entry: Entry) => unknown
  readonly #readers = new Set<NewsReader>()
  #waiting: Entry[] = []
  #hasGap = false
  #telling: Timer | null = null
  #heartbeat: Timer | null = null

  /** @param show an entry as it is written to JSON */
  constructor(clock: Clock, show: (entry: Entry) => unknown) {
    this.#clock = clock
    this.#show = show
  }

  /** Whether anybody reads. */
  get isRead(): boolean {
    return this.#readers.size > 0
  }

  /** Opens a stream, which ends by itself after some minutes. Destroy it when the client is gone. */
  open(): NewsReader {
    const end = this.#clock.after(STREAM_MS, () => reader.end())
    const reader: NewsReader = new NewsReader(true, () => {
      end.cancel()
      this.#readers.delete(reader)
    })
    this.#readers.add(reader)
    reader.send(frameOf('begin', null))
    this.#heartbeat ??= this.#clock.after(HEARTBEAT_MS, () => this.#beat())
    return reader
  }

  /** Takes an entry for whoever reads. Without a reader nothing is kept. */
  tell(entry: Entry): void {
    if (this.#readers.size === 0) return
    if (this.#waiting.length < TOGETHER_MAX) this.#waiting.push(entry)
    else this.#hasGap = true
    this.#telling ??= this.#clock.after(TOGETHER_MS, () => this.#send())
  }

  /** Ends all streams. */
  stop(): void {
    this.#telling?.cancel()
    this.#heartbeat?.cancel()
    for (const reader of this.#readers) reader.end()
  }

  #send(): void {
    const entries = this.#waiting
    const frame = this.#hasGap ? frameOf('gap', null) : frameOf('entries', entries.map(this.#show))
    this.#telling = null
    this.#waiting = []
    this.#hasGap = false
    for (const reader of this.#readers) reader.send(frame)
  }

  #beat(): void {
    this.#heartbeat = null
    if (this.#readers.size === 0) return
    this.#heartbeat = this.#clock.after(HEARTBEAT_MS, () => this.#beat())
    for (const reader of this.#readers) reader.send(HEARTBEAT)
  }
}

const frameOf = (event: string, data: unknown): Buffer =>
  Buffer.from(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
