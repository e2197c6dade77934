/**
 * Puts together what an image of Parley runs: `node scripts/image/assemble.mjs FOLDER`. The Dockerfile calls it. The folder gets the
 * server with its packages, the built pages, the pinned Node as `bin/node`, the command `bin/parley`, and a bill of materials in
 * CycloneDX. What builds and tests is left out.
 */
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { buildPages, checkMachine, install, main, Refusal, root, run, step } from '../workspace.mjs'

/** Files and folders of the repository that run, or that say under which terms. */
const PROGRAM = [
  'package.json',
  'package-lock.json',
  'LICENSE',
  'THIRD-PARTY-NOTICES.md',
  'scripts/serve.mjs',
  'scripts/supervisor.mjs',
  'scripts/workspace.mjs',
  'scripts/image',
  'server/package.json',
  'server/start-command.mjs',
  'server/src',
  'web/dist',
]

/** Parts of `server/src` that only tests import. */
const isForTests = (/** @type {string} */ file) =>
  file.endsWith('.test.ts') || file.startsWith(path.join(root, 'server/src/testing'))

/** Runs npm. @param {string} cwd @param {string[]} args @returns {Promise<string>} what it printed */
async function npm(cwd, ...args) {
  const { code, output } = await run('npm', args, { cwd, quiet: true })
  if (code !== 0) throw new Refusal(`${output.trim()}\n\nnpm ${args[0]} failed.`)
  return output
}

/** @param {string} folder */
function copyProgram(folder) {
  for (const name of PROGRAM) {
    cpSync(path.join(root, name), path.join(folder, name), {
      recursive: true,
      filter: (source) => !isForTests(source),
    })
  }
}

/** @param {string} folder */
async function installPackages(folder) {
  const only = ['--workspace', 'server', '--include-workspace-root', '--omit', 'dev']
  await npm(folder, 'install', ...only, '--no-save', '--ignore-scripts', '--no-audit', '--no-fund')
}

/** @param {string} folder */
function addCommands(folder) {
  mkdirSync(path.join(folder, 'bin'))
  symlinkSync(`../node_modules/node-linux-${process.arch}/bin/node`, path.join(folder, 'bin/node'))
  const command = '#!/bin/sh\nexec /opt/parley/bin/node /opt/parley/server/src/admin/main.ts "$@"\n'
  writeFileSync(path.join(folder, 'bin/parley'), command, { mode: 0o755 })
}

/** Writes which packages are in it, from the lock file. @param {string} folder */
async function writeBill(folder) {
  const what = ['--package-lock-only', '--omit', 'dev', '--workspace', 'server']
  const output = await npm(root, 'sbom', ...what, '--sbom-format', 'cyclonedx')
  // npm may print warnings before.
  const bill = JSON.parse(output.slice(output.indexOf('{\n')))
  bill.metadata.component.name = 'parley'
  writeFileSync(path.join(folder, 'sbom.cdx.json'), `${JSON.stringify(bill, null, 1)}\n`)
}

await main(async () => {
  const folder = process.argv[2]
  if (!folder) throw new Refusal('Say where to: node scripts/image/assemble.mjs FOLDER')
  checkMachine()
  await install()
  await buildPages()
  await step('Copying the program', async () => copyProgram(folder))
  await step('Installing the packages of the server', () => installPackages(folder))
  addCommands(folder)
  await step('Writing the bill of materials', () => writeBill(folder))
})
