/** The checks that read the code without running it, for `npm run check` and `npm test`. */
import { run } from './workspace.mjs'

/** @typedef {{ name: string, command: string, args: string[] }} Check */

/** Folders with their own tsconfig. */
export const TYPED = ['server', 'client', 'embed', 'web', 'acceptance', 'bench', 'scripts']

/** @type {Check[]} */
const checks = [
  ...TYPED.map((folder) => ({ name: `types: ${folder}`, command: 'tsc', args: ['-p', folder] })),
  { name: 'lint, format, import cycles', command: 'biome', args: ['check', '--error-on-warnings', '.'] },
  { name: 'unused files, exports and dependencies', command: 'knip', args: ['--no-config-hints'] },
  { name: 'laws: imports, promises, sleeps, comments', command: 'node', args: ['scripts/laws.mjs'] },
  { name: 'what documents name is there', command: 'node', args: ['scripts/documents.mjs'] },
  { name: 'every package has a hash', command: 'node', args: ['scripts/lock-integrity.mjs'] },
  { name: 'generated documents are current', command: 'node', args: ['scripts/docs.mjs', '--check'] },
]

/** @param {Check} check @returns {Promise<boolean>} whether it passed. Else it says why: several run at once. */
async function passes({ command, args }) {
  const { code, output } = await run(command, args, { quiet: true })
  if (code !== 0) console.error(output.trim())
  return code === 0
}

/** The checks as steps. */
export const checkSteps = checks.map((check) => ({ name: check.name, passes: () => passes(check) }))
