import { open, rename } from 'node:fs/promises'

/**
 * Writes a file so that it is there whole or as it was before, even after a power cut.
 * @param mode permission bits, whatever the file had before
 */
export async function writeWhole(file: string, text: string, mode: number): Promise<void> {
  const draft = `${file}.new`
  const handle = await open(draft, 'w', mode)
  try {
    await handle.chmod(mode)
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(draft, file)
}
