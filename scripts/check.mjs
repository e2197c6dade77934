/** `npm run check`: types, lint, format, import cycles, unused code. */
import { checks, passes } from './checks.mjs'
import { runSteps } from './steps.mjs'
import { checkMachine, install, main, stopOnSignals } from './workspace.mjs'

await main(async () => {
  stopOnSignals()
  checkMachine()
  await install()
  return runSteps(checks.map((check) => ({ name: check.name, passes: () => passes(check) })))
})
