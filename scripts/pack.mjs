/**
 * `npm pack` and `npm publish` in the folder of a package run this first: it builds the package to ESM with types into
 * `dist`, and puts the licence beside it.
 */
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { root, run } from './workspace.mjs'

const folder = process.cwd()
rmSync(path.join(folder, 'dist'), { recursive: true, force: true })
const options = ['--noEmit', 'false', '--incremental', 'false', '--declaration']
const places = ['--rootDir', path.join(folder, 'src'), '--outDir', path.join(folder, 'dist')]
const { code } = await run('tsc', ['-p', folder, ...options, '--rewriteRelativeImportExtensions', ...places])
if (code !== 0) process.exit(1)
// The compiler rewrites the endings of imports in code only. Older compilers do not find `./file.ts` from a declaration.
for (const file of readdirSync(path.join(folder, 'dist')).filter((name) => name.endsWith('.d.ts'))) {
  const place = path.join(folder, 'dist', file)
  writeFileSync(place, readFileSync(place, 'utf8').replace(/(from ')(\.[^']+)\.ts'/g, "$1$2.js'"))
}
copyFileSync(path.join(root, 'LICENSE'), path.join(folder, 'LICENSE'))
