/** Runs the server where everything is installed and built already, as in an image, until it is told to stop. */
import { superviseServer } from './supervisor.mjs'
import { main } from './workspace.mjs'

await main(superviseServer)
