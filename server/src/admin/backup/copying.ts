import { createHash } from 'node:crypto'
import { constants, createReadStream } from 'node:fs'
import { copyFile, mkdir, open, readdir, realpath, stat } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { OperatorError } from '../../errors/operator-error.ts'

/** File mode of a folder that only its owner may read. */
const PRIVATE_FOLDER = 0o700

/**
 * Copies a file with its mode, and waits until it is on the disk. If the file grows meanwhile, the copy ends where the
 * copying ended.
 * @returns the size in bytes; undefined when there is no such file
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

/** SHA-256 of a file, in hexadecimal. */
export async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
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

/** The files below a folder, as paths with slashes, without the folders and names that are left out. */
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

/**
 * Whether the folder is empty or does not exist.
 * @throws OperatorError when the path is a file
 */
export async function isEmptyOrAbsent(folder: string): Promise<boolean> {
  try {
    return (await readdir(folder)).length === 0
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return true
    if (code !== 'ENOTDIR') throw error
    throw new OperatorError(`${folder} cannot be a folder: a file is in its way.`, { cause: error })
  }
}

/** Whether a path is a folder itself, or is below it. Neither needs to exist yet. */
export async function isWithin(folder: string, path: string): Promise<boolean> {
  const way = relative(await realPath(folder), await realPath(path))
  return way === '' || !(way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way))
}

/** Resolves symbolic links in the part of the path that exists. */
async function realPath(path: string): Promise<string> {
  const found = await realpath(path).catch(() => undefined)
  if (found !== undefined || dirname(path) === path) return found ?? path
  return join(await realPath(dirname(path)), basename(path))
}
