import type { Config } from '../config.ts'
import type { ObjectStore } from './object-store.ts'

/** Opens the configured store, and loads its client only then. @returns null if none is configured */
export async function openStore(config: Config): Promise<ObjectStore | null> {
  const { s3Bucket } = config
  if (s3Bucket === null) return null
  const { S3Store } = await import('./s3-store.ts')
  return S3Store.open({ ...config, s3Bucket })
}
