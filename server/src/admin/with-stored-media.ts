import { pino } from 'pino'
import { systemClock } from '../clock.ts'
import type { Config } from '../config.ts'
import { openStore } from '../object-store/open-store.ts'
import { RecordingFragments } from '../rooms/stored-recordings/recording-fragments.ts'
import { createStoredMedia, type StoredMedia } from '../rooms/stored-recordings/stored-media.ts'
import { recordingsFolder } from '../storage/data-folder.ts'

/** Opens the store of recordings for `work`, which gets null if none is configured. */
export async function withStoredMedia<T>(
  config: Config,
  work: (stored: StoredMedia | null) => Promise<T>,
): Promise<T> {
  const store = await openStore(config)
  if (!store) return work(null)
  const folder = recordingsFolder(config.dataDir)
  const parts = { store, folder, clock: systemClock, log: pino({ level: 'silent' }) }
  try {
    return await work(createStoredMedia(store, new RecordingFragments(parts)))
  } finally {
    store.close()
  }
}
