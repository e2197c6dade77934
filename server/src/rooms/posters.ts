import { access, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Clock } from '../clock.ts'
import type { MediaPlane } from '../media/media-plane.ts'
import { posterFile } from '../storage/recording-files.ts'
import type { RecordingRecord } from '../storage/records.ts'
import type { Storage } from '../storage/storage.ts'
import { isPlayable } from './recording-shares.ts'

/** Posters that may wait to be made. Who asks for more gets none for now. */
const MOST_WAITING = 200
/** After a failure, a poster is not tried again for so long: the disk may be full, or the file cannot be read. */
const PAUSE_AFTER_FAILURE_MS = 10 * 60_000
/** Failures that are remembered. The oldest is forgotten first. */
const MOST_FAILURES = 1000

/** Posters of recordings: one picture of each, made when somebody first wants to see it, and kept beside its file. */
export interface Posters {
  /** @returns path below the recordings folder; null if there is none, or the recording is not on this disk */
  of(recording: RecordingRecord): Promise<string | null>
}

export interface PostersOptions {
  media: Pick<MediaPlane, 'makePoster'>
  storage: Pick<Storage, 'recordings'>
  clock: Clock
  log: Logger
  /** Absolute path of the folder with the recording files. */
  folder: string
}

const isThere = (file: string) =>
  access(file).then(
    () => true,
    () => false,
  )

export function createPosters({ media, storage, clock, log, folder }: PostersOptions): Posters {
  const underWay = new Map<string, Promise<boolean>>()
  /** When each failed, by the id of the recording. */
  const failures = new Map<string, number>()
  /** One at a time: meetings need the processors more. */
  let last: Promise<unknown> = Promise.resolve()

  async function make(recording: RecordingRecord): Promise<boolean> {
    const poster = join(folder, posterFile(recording))
    try {
      await media.makePoster(join(folder, recording.file), poster)
      // Nobody else would remove the poster of a recording that was deleted meanwhile.
      if (await storage.recordings.find(recording.project_id, recording.id)) return true
      await rm(poster, { force: true })
    } catch (error) {
      log.warn({ err: error, recordingId: recording.id }, 'the poster of a recording could not be made')
      const [oldest] = failures.keys()
      if (failures.size >= MOST_FAILURES && oldest !== undefined) failures.delete(oldest)
      failures.set(recording.id, clock.monotonicMs())
    }
    return false
  }

  function makeInTurn(recording: RecordingRecord): Promise<boolean> {
    const made = last.then(() => make(recording))
    last = made
    underWay.set(recording.id, made)
    void made.then(() => underWay.delete(recording.id))
    return made
  }

  return {
    async of(recording) {
      if (!isPlayable(recording) || recording.place === 'store') return null
      const file = posterFile(recording)
      if (await isThere(join(folder, file))) return file
      // Another node has it, or nobody.
      if (!(await isThere(join(folder, recording.file)))) return null
      const failedAt = failures.get(recording.id)
      if (failedAt !== undefined && clock.monotonicMs() - failedAt < PAUSE_AFTER_FAILURE_MS) return null
      const making = underWay.get(recording.id)
      if (!making && underWay.size >= MOST_WAITING) return null
      return (await (making ?? makeInTurn(recording))) ? file : null
    },
  }
}
