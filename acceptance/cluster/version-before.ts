import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises'
import path from 'node:path'
import { run } from '../testing/commands.ts'
import { RESULTS_DIR, ROOT } from '../testing/server-process.ts'

/**
 * The version whose nodes have to run beside those of this one (docs/upgrading.md): the commit of the last release. Each
 * release sets it to its own commit. No release is published yet, so it is the commit before the newest step of the schema.
 */
const COMMIT = 'f08d24aacba8653574dfa7ed8517fddebdf1d843'

/** Packages of this repository. Those of the version before are in its own folder. */
const OWN_PACKAGES = '@parley'

/**
 * Unpacks the version before this one into a temporary folder, ready to run.
 * @returns the folder, which the caller deletes
 * @throws when this is no repository with that commit
 */
export async function unpackVersionBefore(): Promise<string> {
  await mkdir(RESULTS_DIR, { recursive: true })
  // Hard links do not reach another file system.
  const folder = await mkdtemp(path.join(RESULTS_DIR, 'version-before-'))
  try {
    const archive = path.join(folder, 'all.tar')
    await run('git', ['-C', ROOT, 'archive', '--output', archive, COMMIT])
    await run('tar', ['-x', '-f', archive, '-C', folder])
    await rm(archive)
    await install(folder)
    return folder
  } catch (error) {
    await rm(folder, { recursive: true })
    throw error
  }
}

/** Installs what the version needs. If it needs the same as this one, links will do: hard ones, as the media workers may read nothing
 * outside of their folder. */
async function install(folder: string): Promise<void> {
  const [needed, installed] = await Promise.all(
    [folder, ROOT].map((root) => readFile(path.join(root, 'package-lock.json'), 'utf8')),
  )
  if (needed !== installed) {
    await run('npm', ['--prefix', folder, 'ci', '--ignore-scripts', '--no-audit', '--no-fund'])
    return
  }
  const modules = path.join(folder, 'node_modules')
  await mkdir(path.join(modules, OWN_PACKAGES), { recursive: true })
  const names = await readdir(path.join(ROOT, 'node_modules'))
  const others = names.filter((name) => name !== OWN_PACKAGES && name !== '.cache')
  const files = others.map((name) => path.join(ROOT, 'node_modules', name))
  await run('cp', ['--archive', '--link', '--target-directory', modules, ...files])
  for (const [name, place] of [['server'], ['embed'], ['web'], ['api-client', 'client']] as const) {
    await symlink(path.join(folder, place ?? name), path.join(modules, OWN_PACKAGES, name))
    const own = path.join(place ?? name, 'node_modules')
    if (existsSync(path.join(ROOT, own)))
      await run('cp', ['--archive', '--link', path.join(ROOT, own), path.join(folder, own)])
  }
}
