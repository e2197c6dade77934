import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Plugin } from 'vite'

/** A copy that saves less is not worth a file: fonts and pictures are compressed already. */
const MAX_RATIO = 0.95
/** Headers outweigh what smaller files would save, in bytes. */
const MIN_BYTES = 256

/** How the compressed copies are made, by the ending that the server expects after the whole name of the file. */
const COPIES: Readonly<Record<string, (content: Buffer) => Promise<Buffer>>> = {
  '.br': (content) =>
    promisify(brotliCompress)(content, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
        [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
      },
    }),
  '.gz': (content) => promisify(gzip)(content, { level: constants.Z_BEST_COMPRESSION }),
}

/**
 * Writes compressed copies beside the built files, where they are smaller. The server serves them, and compresses
 * nothing itself.
 */
export function compressedCopies(): Plugin {
  return {
    name: 'compressed-copies',
    apply: 'build',
    async writeBundle({ dir }) {
      if (dir === undefined) throw new Error('The pages are built into a folder.')
      for (const file of readdirSync(dir, { recursive: true, withFileTypes: true })) {
        if (file.isFile()) await writeCopies(join(file.parentPath, file.name))
      }
    },
  }
}

async function writeCopies(path: string): Promise<void> {
  const content = readFileSync(path)
  if (content.length <= MIN_BYTES) return
  for (const [ending, compress] of Object.entries(COPIES)) {
    const copy = await compress(content)
    if (copy.length < content.length * MAX_RATIO) writeFileSync(path + ending, copy)
  }
}
