import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Clock } from '../../clock.ts'
import type { MediaPlane } from '../../media/media-plane.ts'
import { type ObjectStore, storeProblem } from '../../object-store/object-store.ts'
import { RecurringWork } from '../../recurring-work.ts'
import { filesOf, posterFile } from '../../storage/recording-files.ts'
import type { RecordingRecord } from '../../storage/records.ts'
import type { Storage } from '../../storage/storage.ts'
import type { Posters } from '../posters.ts'
import { objectKey } from './object-keys.ts'
import type { RecordingFragments } from './recording-fragments.ts'

/** Between two looks at what is to be sent. */
const PERIOD_MS = 5000
/** While the store cannot be reached. */
const LONGEST_PERIOD_MS = 10 * 60_000
const PORTION = 20
/** A small object. A store that takes it is there, so that it was a file that could not be sent. */
const PROBE = 'probe'
/** A file that is not here may be on another server, which sends it. Later it is taken for lost. */
const LOST_AFTER_MS = 60 * 60_000

export interface SendingOptions {
  store: ObjectStore
  storage: Storage
  fragments: Pick<RecordingFragments, 'bringBack' | 'remove'>
  posters: Pick<Posters, 'of'>
  repair: MediaPlane['repairRecording']
  clock: Clock
  log: Logger
  /** Absolute path of the recordings folder. */
  folder: string
}

/**
 * Sends completed recordings to the store, oldest first, one at a time, and then removes them from the disk. What is to
 * be sent stands in the database. A store that is away is tried again, at longer and longer intervals.
 */
export class Sending {
  readonly #options: SendingOptions
  readonly #looks: RecurringWork
  #failures = 0
  readonly #stop = new AbortController()

  constructor(options: SendingOptions) {
    this.#options = options
    this.#looks = new RecurringWork(options, () => this.#look())
  }

  start(): void {
    this.#looks.start(PERIOD_MS)
  }

  /** A file that is being sent is sent anew by the next start. */
  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#looks.stop()
  }

  /** Sends what is to be sent. One that cannot be sent does not hold up the others. @returns whether all of it is stored */
  async sendAll(): Promise<boolean> {
    const { storage } = this.#options
    let after: { at: number; id: string } | null = null
    let isDone = true
    while (!this.#isStopped) {
      const unsent: RecordingRecord[] = await storage.recordings.listUnsent(after, PORTION)
      for (const recording of unsent) {
        if (this.#isStopped) return true
        if (await this.#sendOrComplain(recording)) continue
        if (!(await this.#isStoreThere())) return false
        isDone = false
      }
      const last = unsent.at(-1)
      if (!last || unsent.length < PORTION) return isDone
      after = { at: last.created_at, id: last.id }
    }
    return true
  }

  async #isStoreThere(): Promise<boolean> {
    const { store } = this.#options
    try {
      await store.put(PROBE, Buffer.from('probe'), 'text/plain')
    } catch {
      return false
    }
    // A store may take objects and let none go.
    await store.remove(PROBE).catch(() => {})
    return true
  }

  /** @returns false if it failed */
  async #sendOrComplain(recording: RecordingRecord): Promise<boolean> {
    try {
      await this.send(recording)
    } catch (error) {
      if (this.#isStopped) return true
      const facts = { problem: storeProblem(error), recordingId: recording.id, failures: this.#failures }
      this.#options.log.error(facts, 'a recording could not be stored yet; it stays on the disk')
      return false
    }
    return true
  }

  /**
   * Sends one recording.
   * @param onSent called with the bytes that are sent so far
   * @returns false if its file is not here
   */
  async send(recording: RecordingRecord, onSent?: (bytes: number) => void): Promise<boolean> {
    const { store, storage, fragments, clock, log, folder } = this.#options
    const { file, id, project_id } = recording
    const path = join(folder, file)
    const changes: Partial<RecordingRecord> = {}
    if (!(await isFile(path))) {
      if (clock.now() - (recording.finished_at ?? 0) < LOST_AFTER_MS) return false
      const repaired = (await fragments.bringBack(file)) ? await this.#options.repair(path) : null
      if (!repaired) {
        log.error({ recordingId: id }, 'the file of a recording is neither here nor in the store')
        await storage.recordings.update(project_id, id, { place: 'disk' })
        return false
      }
      changes.duration_ms = repaired.durationMs
    }
    const poster = await this.#options.posters.of(recording)
    if (poster !== null) await store.putFile(objectKey(poster), join(folder, poster), 'image/webp')
    const { size, sha256 } = await store.putFile(objectKey(file), path, 'video/mp4', {
      onSent,
      signal: this.#stop.signal,
    })
    if ((await store.size(objectKey(file))) !== size)
      throw new Error('the store has another size than was sent')
    const stored = {
      ...changes,
      place: 'store',
      sha256,
      size_in_bytes: size,
      stored_at: clock.now(),
    } as const
    await storage.recordings.update(project_id, id, stored)
    if (!(await storage.recordings.find(project_id, id))) {
      // It was deleted meanwhile, and nobody else would remove these.
      for (const one of [file, posterFile(recording)]) await store.remove(objectKey(one))
    }
    for (const one of filesOf(recording)) await rm(join(folder, one), { force: true })
    log.info({ recordingId: id, bytes: size }, 'recording stored')
    await fragments.remove(file).catch((error: unknown) => {
      log.warn(
        { problem: storeProblem(error), recordingId: id },
        'fragments are left to the sweep of the store',
      )
    })
    return true
  }

  get #isStopped(): boolean {
    return this.#stop.signal.aborted
  }

  /** @returns the pause until the next look in ms */
  async #look(): Promise<number> {
    const isDone = await this.sendAll().catch((error: unknown) => {
      this.#options.log.error({ err: error }, 'recordings to be stored could not be listed')
      return false
    })
    this.#failures = isDone ? 0 : this.#failures + 1
    return Math.min(LONGEST_PERIOD_MS, PERIOD_MS * 2 ** Math.min(this.#failures, 10))
  }
}

const isFile = (path: string) =>
  stat(path).then(
    (found) => found.isFile(),
    () => false,
  )
