import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { pino } from 'pino'
import { recordAct } from '../../audit/audit.ts'
import { type Config, readConfig } from '../../config.ts'
import { OperatorError } from '../../errors/operator-error.ts'
import { storeProblem } from '../../object-store/object-store.ts'
import { openStore } from '../../object-store/open-store.ts'
import { RecordingFragments } from '../../rooms/stored-recordings/recording-fragments.ts'
import { Sending } from '../../rooms/stored-recordings/sending.ts'
import { recordingsFolder } from '../../storage/data-folder.ts'
import { posterFile } from '../../storage/recording-files.ts'
import type { RecordingRecord } from '../../storage/records.ts'
import type { Storage } from '../../storage/storage.ts'
import type { Command, CommandContext } from '../command.ts'
import { withStorage } from '../with-storage.ts'

const PORTION = 100
/** Between two lines of progress. */
const LINE_MS = 2000

/** What was moved. */
interface Moved {
  recordings: number
  bytes: number
  /** Ids of recordings whose files are not here. */
  missing: string[]
}

/** Moves recordings from the disk to the store of objects. */
export const mediaCommands: readonly Command[] = [
  {
    name: 'media move',
    summary: 'Move the recordings on the disk into the S3 store.',
    details:
      'For recordings from before PARLEY_S3_BUCKET was set; later ones go there by themselves. The server may run meanwhile, and\n' +
      'people may watch. A recording leaves the disk once the store has all of it, so the command can be ended and started again.',
    options: { json: { doc: 'Print JSON.' } },
    async run(context, args) {
      const config = readConfig(context.env)
      const { recordings, bytes, missing } = await withStorage(config, (storage) =>
        moveAll(config, storage, context),
      )
      for (const id of missing) context.note(`The file of recording ${id} is not on this disk.`)
      if (args.has('json')) context.say(JSON.stringify({ recordings, bytes, missing }))
      else context.say(`${recordings} recordings moved, ${megabytes(bytes)}.`)
      return undefined
    },
  },
]

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`

async function moveAll(config: Config, storage: Storage, context: CommandContext): Promise<Moved> {
  const store = await openStore(config)
  if (!store)
    throw new OperatorError('There is no store to move to: set PARLEY_S3_BUCKET and what belongs to it.')
  const { clock, actor, note } = context
  const folder = recordingsFolder(config.dataDir)
  const parts = { store, storage, clock, folder, log: pino({ level: 'silent' }) }
  const sending = new Sending({
    ...parts,
    fragments: new RecordingFragments(parts),
    posters: { of: (recording) => posterOnDisk(folder, recording) },
    repair: async () => null,
  })
  const moved: Moved = { recordings: 0, bytes: 0, missing: [] }
  let nextLineMs = performance.now() + LINE_MS
  const tell = (sent: number) => {
    if (performance.now() < nextLineMs) return
    nextLineMs += LINE_MS
    note(`${moved.recordings} recordings, ${megabytes(moved.bytes + sent)} …`)
  }
  try {
    await recordAct(
      storage,
      { actor, action: 'media.move', projectId: null, details: { to: store.place } },
      clock.now(),
    )
    for await (const recording of onDisk(storage)) {
      let size = 0
      const isSent = await sending.send(recording, (bytes) => {
        size = bytes
        tell(bytes)
      })
      if (!isSent) moved.missing.push(recording.id)
      else {
        moved.recordings++
        moved.bytes += size
      }
    }
    return moved
  } catch (error) {
    const done = `${moved.recordings} recordings were moved.`
    throw new OperatorError(`${done} Then: ${storeProblem(error)}. Start it again to go on.`, {
      cause: error,
    })
  } finally {
    store.close()
  }
}

/** Completed recordings that are to stay on the disk, oldest first. */
async function* onDisk(storage: Storage): AsyncGenerator<RecordingRecord> {
  let after: { at: number; id: string } | null = null
  for (;;) {
    const page: RecordingRecord[] = await storage.recordings.listUnsent(after, PORTION, 'disk')
    for (const recording of page) if ((recording.size_in_bytes ?? 0) > 0) yield recording
    const last = page.at(-1)
    if (!last || page.length < PORTION) return
    after = { at: last.created_at, id: last.id }
  }
}

async function posterOnDisk(folder: string, recording: RecordingRecord): Promise<string | null> {
  const poster = posterFile(recording)
  return access(join(folder, poster)).then(
    () => poster,
    () => null,
  )
}
