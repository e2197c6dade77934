import { access, constants } from 'node:fs/promises'
import path from 'node:path'

/**
 * Finds the first of these programs that is on the path.
 * @throws if there is none
 */
export async function findProgram(names: readonly string[]): Promise<string> {
  for (const directory of (process.env.PATH ?? '').split(path.delimiter)) {
    for (const name of names) {
      const file = path.join(directory, name)
      const usable = await access(file, constants.X_OK).then(
        () => true,
        () => false,
      )
      if (usable) return file
    }
  }
  throw new Error(`none of ${names.join(', ')} is installed`)
}
