import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import type { Logger } from 'pino'
import type { Clock } from '../../clock.ts'
import { newId } from '../../ids.ts'
import { NoSuchObject, type ObjectStore, storeProblem } from '../../object-store/object-store.ts'
import { RecurringWork } from '../../recurring-work.ts'
import type { RecordingRecord } from '../../storage/records.ts'
import type { Storage } from '../../storage/storage.ts'
import { objectKey, parseKey, RECORDINGS } from './object-keys.ts'

const HOUR_MS = 60 * 60_000
const DAY_MS = 24 * HOUR_MS
/** After the start of the server, which has other things to do first. */
const FIRST_DELAY_MS = HOUR_MS / 4
/** Recordings that are looked up at once. */
const PAGE = 200
/** Objects that one sweep removes at most. */
const MOST_REMOVED = 10_000
/** With fewer unknown recordings, what most of the store is unknown to says nothing. */
const FEW_UNKNOWN = 10
/** An object that says whose the others are. */
const OWNER = 'owner'

/** What a sweep found. */
export interface Swept {
  /** Objects and files without a recording that needs them. They are gone. */
  removed: number
  /** Recordings whose object is missing. */
  lost: number
}

export interface StoreSweepOptions {
  store: ObjectStore
  storage: Storage
  clock: Clock
  log: Logger
  /** Absolute path of the recordings folder. */
  folder: string
  /** Id of the installation. */
  owner: string
}

/**
 * Once a day: removes objects and files that no recording needs any more, and finds recordings whose object is missing.
 * What is younger than a day is left alone.
 */
export class StoreSweep {
  readonly #options: StoreSweepOptions
  readonly #sweeps: RecurringWork

  constructor(options: StoreSweepOptions) {
    this.#options = options
    this.#sweeps = new RecurringWork(options, () => this.#sweepOrComplain())
  }

  start(): void {
    this.#sweeps.start(FIRST_DELAY_MS)
  }

  stop(): Promise<void> {
    return this.#sweeps.stop()
  }

  /** @throws when the store cannot be reached, belongs to another installation, or seems not to fit the database */
  async sweep(): Promise<Swept> {
    const { store, clock, log } = this.#options
    await this.#claim()
    const before = clock.now() - DAY_MS
    const objects = await this.#removeObjects(before)
    await store.dropUnfinished(before)
    const files = await this.#removeFiles(before)
    const lost = await this.#findLost(before)
    const swept = { removed: objects + files, lost }
    if (swept.removed + lost > 0) log.warn(swept, 'swept the store of recordings')
    return swept
  }

  /** Two installations with one prefix would remove each other's recordings. */
  async #claim(): Promise<void> {
    const { store, owner } = this.#options
    const found = await store.get(OWNER).catch((error: unknown) => {
      if (error instanceof NoSuchObject) return null
      throw error
    })
    if (!found) return store.put(OWNER, Buffer.from(owner), 'text/plain')
    const other = String(await buffer(found))
    if (other !== owner) {
      throw new Error(
        `the recordings there are those of installation ${other}, not of ${owner}: give this one another PARLEY_S3_PREFIX, or remove the object "${OWNER}" if they are its own`,
      )
    }
  }

  /** One that the store keeps, because it is locked for instance, does not hold up the others. @returns how many */
  async #removeObjects(before: number): Promise<number> {
    const { store, log } = this.#options
    let removed = 0
    let kept = 0
    let problem: string | undefined
    for (const key of await this.#unneededObjects(before)) {
      if (this.#sweeps.isStopped) break
      try {
        await store.remove(key)
        removed++
      } catch (error) {
        // This rejects where the store itself is away.
        await store.size(OWNER)
        kept++
        problem ??= `${key}: ${storeProblem(error)}`
      }
    }
    if (problem) log.error({ problem, kept }, 'the store keeps objects that no recording needs')
    return removed
  }

  async #unneededObjects(before: number): Promise<string[]> {
    const { store } = this.#options
    const unneeded: string[] = []
    const count = { known: new Set<string>(), unknown: new Set<string>() }
    let page: { key: string; recordingId: string; isFragment: boolean }[] = []
    const judge = async () => {
      const places = await this.#placesOf(page.map(({ recordingId }) => recordingId))
      for (const { key, recordingId, isFragment } of page) {
        const place = places.get(recordingId)
        count[place ? 'known' : 'unknown'].add(recordingId)
        if (!place || (isFragment && place === 'store')) unneeded.push(key)
      }
      page = []
    }
    for await (const { key, changedAt } of store.list(RECORDINGS)) {
      const found = parseKey(key)
      if (!found || changedAt > before) continue
      page.push({ key, recordingId: found.recordingId, isFragment: found.kind === 'fragment' })
      if (page.length === PAGE) await judge()
      if (unneeded.length >= MOST_REMOVED || this.#sweeps.isStopped) break
    }
    await judge()
    if (count.unknown.size > FEW_UNKNOWN && count.unknown.size > count.known.size) {
      throw new Error(
        `the database knows ${count.known.size} of the recordings in the store, and not ${count.unknown.size}: nothing was removed. Is it an older database? If the others are to go, remove them from the store`,
      )
    }
    return unneeded
  }

  async #placesOf(ids: readonly string[]): Promise<Map<string, RecordingRecord['place']>> {
    return this.#options.storage.recordings.placesOf([...new Set(ids)])
  }

  /** What a server that was killed left on the disk. @returns how many */
  async #removeFiles(before: number): Promise<number> {
    const { folder } = this.#options
    const names = (await readdir(folder)).filter((name) =>
      /^[0-9a-f-]{36}\.(mp4|webp|mp4\.joining)$/.test(name),
    )
    let removed = 0
    for (let start = 0; start < names.length && !this.#sweeps.isStopped; start += PAGE) {
      const page = names.slice(start, start + PAGE)
      const places = await this.#placesOf(page.map((name) => name.slice(0, 36)))
      for (const name of page) {
        const place = places.get(name.slice(0, 36))
        if (place === 'disk' || place === 'sending' || place === 'lost') continue
        const file = join(folder, name)
        if (((await stat(file).catch(() => null))?.mtimeMs ?? before) >= before) continue
        await rm(file, { force: true })
        removed++
      }
    }
    return removed
  }

  async #findLost(before: number): Promise<number> {
    const { store, storage } = this.#options
    let lost = 0
    let after = ''
    while (!this.#sweeps.isStopped) {
      const page = await storage.recordings.listStored(after, PAGE)
      for (const recording of page) {
        if ((recording.stored_at ?? 0) > before) continue
        const isThere = (await store.size(objectKey(recording.file))) !== null
        if (!isThere) lost++
        if (isThere === (recording.place === 'lost')) await this.#mark(recording, isThere)
      }
      const last = page.at(-1)
      if (!last || page.length < PAGE) break
      after = last.id
    }
    return lost
  }

  async #mark(recording: RecordingRecord, isThere: boolean): Promise<void> {
    const { storage, clock, log } = this.#options
    const { id, project_id, room_id, room_session_id } = recording
    const now = clock.now()
    await storage.transaction(async (tx) => {
      await tx.recordings.update(project_id, id, { place: isThere ? 'store' : 'lost', updated_at: now })
      if (isThere) return
      await tx.events.append({
        id: newId(),
        project_id,
        room_id,
        room_session_id,
        room_recording_id: id,
        room_participant_id: null,
        level: 'error',
        name: 'recording.lost',
        payload: { recording_id: id },
        created_at: now,
      })
    })
    if (isThere) log.info({ recordingId: id }, 'a recording is in the store again')
    else log.error({ recordingId: id }, 'a recording is not in the store any more')
  }

  /** @returns the pause until the next sweep in ms */
  async #sweepOrComplain(): Promise<number> {
    try {
      await this.sweep()
      return DAY_MS
    } catch (error) {
      this.#options.log.error({ problem: storeProblem(error) }, 'the store was not swept')
      return HOUR_MS
    }
  }
}
