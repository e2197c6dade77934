import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { run } from './commands.ts'

const root = path.resolve(import.meta.dirname, '../..')

/** A project of somebody else, in which the packages of this repository are installed as from the registry. */
export interface ForeignProject {
  folder: string
  /** Writes a file into the project. */
  write(file: string, text: string): void
  /** Checks its types as strictly as one can, declarations of packages included. @throws if they are wrong */
  checkTypes(): Promise<void>
}

/** Packs the packages that are made to be published, and installs the tarballs in an empty folder, without network. */
export async function installPacked(): Promise<ForeignProject> {
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-packages-'))
  const tarballs = path.join(folder, 'tarballs')
  mkdirSync(tarballs)
  const packages = [
    'client',
    'embed',
    'node_modules/openapi-fetch',
    'node_modules/openapi-typescript-helpers',
  ]
  for (const one of packages) {
    await run('npm', ['pack', '--silent', '--pack-destination', tarballs, path.join(root, one)], 120_000)
  }
  const project = { name: 'foreign', private: true, type: 'module' }
  const write = (file: string, text: string) => writeFileSync(path.join(folder, file), text)
  write('package.json', JSON.stringify(project))
  const files = readdirSync(tarballs).map((name) => path.join(tarballs, name))
  const quiet = ['--offline', '--no-audit', '--no-fund', '--silent']
  await run('npm', ['install', '--prefix', folder, ...quiet, ...files], 120_000)
  return { folder, write, checkTypes: () => checkTypes(folder) }
}

async function checkTypes(folder: string): Promise<void> {
  const compilerOptions = {
    target: 'es2022',
    lib: ['es2024', 'dom', 'dom.iterable'],
    module: 'nodenext',
    types: [],
    strict: true,
    noEmit: true,
    exactOptionalPropertyTypes: true,
  }
  writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))
  await run(path.join(root, 'node_modules', '.bin', 'tsc'), ['-p', folder])
}
