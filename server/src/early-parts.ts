import type { Logger } from 'pino'
import type { Config } from './config.ts'
import { MediaWorkers } from './media/media-workers.ts'
import { type DataFolder, holdDataFolder } from './storage/data-folder.ts'

/** What a start begins with. */
export interface EarlyParts {
  folder: DataFolder
  media: MediaWorkers
}

/**
 * Takes hold of the data folder and lets the media workers start. That takes them about as long as loading the rest of
 * the server, which can be done beside it.
 * @param tell gets a line for the operator when another server must end first
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
