import { pino } from 'pino'
import { systemClock } from '../clock.ts'
import { createRecordingRemoval } from '../rooms/recording-removal.ts'
import type { Storage } from '../storage/storage.ts'

/** Deletes recordings like a server without others and without a store. @param folder of the recordings */
export const removalOnDisk = (storage: Pick<Storage, 'removedFiles'>, folder: string) =>
  createRecordingRemoval({
    storage,
    clock: systemClock,
    log: pino({ level: 'silent' }),
    folder,
    stored: null,
    here: { node: 'test', isAlone: true },
  })
