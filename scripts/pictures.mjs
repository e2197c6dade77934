/**
 * `npm run pictures`: makes the pictures of the README and the documents anew, from a real server and real browsers in
 * which drawn people meet.
 */
import {
  buildPages,
  checkMachine,
  innerEnvironment,
  install,
  main,
  requirePrograms,
  run,
  stopOnSignals,
} from './workspace.mjs'

const PROGRAMS = {
  chromium: 'chromium',
  'chromium-headless-shell': 'chromium-headless-shell',
  ffmpeg: 'ffmpeg',
}

await main(async () => {
  stopOnSignals()
  checkMachine()
  await install()
  await requirePrograms(PROGRAMS, 'Making pictures')
  await buildPages()
  const args = ['run', '--config', 'acceptance/vitest.config.ts', '--project', 'pictures']
  return (await run('vitest', args, { env: innerEnvironment() })).code
})
