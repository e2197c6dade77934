import { constants } from 'node:fs'
import { copyFile, mkdir, open, readdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** A file or folder that only its owner may read. */
const PRIVATE_FOLDER = 0o700

/**
 * Copies a file with its mode, down to the disk. A file that grows meanwhile is copied as far as it went.
 * @returns its size in bytes; undefined when there is no such file
 */
export async function copyToDisk(from: string, to: string): Promise<number | undefined> {
  await mkdir(dirname(to), { recursive: true, mode: PRIVATE_FOLDER })
  try {
    await copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  await flushFile(to)
  return (await stat(to)).size
}

/** Waits until a file or folder is on the disk. */
export async function flushFile(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** The files below a folder, as paths with slashes, none of them in the folders or by the names that are left out. */
export async function filesBelow(
  folder: string,
  leaveOut: (path: string) => boolean = () => false,
  prefix = '',
): Promise<string[]> {
  const files: string[] = []
  for (const entry of await readdir(join(folder, prefix), { withFileTypes: true })) {
    const path = prefix ? `${prefix}/${entry.name}` : entry.name
    if (leaveOut(path)) continue
    if (entry.isDirectory()) files.push(...(await filesBelow(folder, leaveOut, path)))
    else if (entry.isFile()) files.push(path)
  }
  return files
}

/** Whether there is nothing in the folder, or no such folder. */
export async function isEmptyOrAbsent(folder: string): Promise<boolean> {
  try {
    return (await readdir(folder)).length === 0
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return true
    throw error
  }
}
