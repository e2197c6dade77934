/** `npm start`: installs and builds what is missing, then runs the server until it is told to stop. */

import { superviseServer } from './supervisor.mjs'
import { buildPages, checkMachine, install, main, progress, stopOnSignals } from './workspace.mjs'

await main(async () => {
  stopOnSignals()
  checkMachine()
  await install()
  await buildPages()
  progress('Starting the server …')
  return superviseServer()
})
