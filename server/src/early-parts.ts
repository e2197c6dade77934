import type { Logger } from 'pino'
import type { Config } from './config.ts'
import { MediaWorkers } from './media/media-workers.ts'
import { type DataFolder, holdDataFolder } from './storage/data-folder.ts'

/** Parts of the server that start first. */
export interface EarlyParts {
  folder: DataFolder
  media: MediaWorkers
}

/**
 * Locks the data folder and starts the media workers. Their start takes about as long as loading the rest of the
 * server, so both run at the same time.
 * @param tell called with a line for the operator when another server must end first
 * @throws DataFolderUnusable
 */
export async function startEarly(
  config: Config,
  log: Logger,
  tell: (line: string) => void = () => {},
): Promise<EarlyParts> {
  const folder = await holdDataFolder(config.dataDir, tell)
  const folders = [folder.recordingsFolder, folder.previewsFolder]
  return { folder, media: new MediaWorkers({ ...config, folders }, log.child({ part: 'media' })) }
}
