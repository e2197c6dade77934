import { statfs } from 'node:fs/promises'

/** What is left on the file system of a folder, for this user. */
export interface DiskSpace {
  freeBytes: number
  /** null where files are made as needed. */
  freeFiles: number | null
}

/** @throws when the folder cannot be reached */
export async function diskSpace(folder: string): Promise<DiskSpace> {
  const { bavail, bsize, files, ffree } = await statfs(folder)
  return { freeBytes: bavail * bsize, freeFiles: files > 0 ? ffree : null }
}
