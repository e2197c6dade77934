/**
 * `npm run fuzz [-- --inputs N --seed N]`: sends inputs that no client would send to every parser of untrusted bytes,
 * and to a server over its ports. The same code as in `npm test` (acceptance/fuzz), with any number of inputs.
 */
import {
  checkMachine,
  innerEnvironment,
  install,
  main,
  Refusal,
  requirePrograms,
  run,
  stopOnSignals,
} from './workspace.mjs'

const USAGE = 'npm run fuzz -- [--inputs 1000000] [--seed 42]'

/** @param {string} name @param {number} byDefault @param {number} least */
function option(name, byDefault, least) {
  const at = process.argv.indexOf(`--${name}`)
  if (at < 0) return byDefault
  const value = Number(process.argv[at + 1])
  if (!Number.isSafeInteger(value) || value < least || value > 2 ** 31 - 1)
    throw new Refusal(`--${name} takes a whole number from ${least} on. ${USAGE}`)
  return value
}

await main(async () => {
  const unknown = process.argv.slice(2).filter((word) => !/^(--inputs|--seed|-?\d+)$/.test(word))
  if (unknown.length > 0) throw new Refusal(`There is no option ${unknown.join(' ')}. ${USAGE}`)
  const inputs = option('inputs', 1_000_000, 1000)
  const seed = option('seed', Math.floor(Math.random() * 2 ** 31), 0)
  stopOnSignals()
  checkMachine()
  await install()
  await requirePrograms({ 'chromium-headless-shell': 'chromium-headless-shell' }, 'The fuzz run')
  const env = { ...innerEnvironment(), PARLEY_FUZZ_INPUTS: String(inputs), PARLEY_FUZZ_SEED: String(seed) }
  const args = ['run', 'fuzz/', '--config', 'acceptance/vitest.config.ts', '--disableConsoleIntercept']
  return (await run('vitest', args, { env })).code
})
