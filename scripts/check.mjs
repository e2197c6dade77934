/** `npm run check`: types, lint, format, import cycles, unused code. */
import { checkSteps } from './checks.mjs'
import { runSteps } from './steps.mjs'
import { checkMachine, install, main, stopOnSignals } from './workspace.mjs'

await main(async () => {
  stopOnSignals()
  checkMachine()
  await install()
  return runSteps([checkSteps])
})
