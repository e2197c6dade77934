import type { Config } from '../../config.ts'
import { withStorage } from '../with-storage.ts'

/** The spaces in use. Empty when the database fails, because another examination reports that. */
export async function spacesInUse(config: Config): Promise<string[]> {
  if (config.serviceDomain === null) return []
  const projects = await withStorage(config, (storage) => storage.projects.list()).catch(() => [])
  return [...new Set(projects.flatMap(({ space }) => space ?? []))]
}
