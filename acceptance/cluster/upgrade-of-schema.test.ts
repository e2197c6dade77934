import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStorage } from '../../server/src/storage/open-storage.ts'
import { type TemporaryCluster, temporaryCluster } from '../../server/src/testing/temporary-cluster.ts'
import { asElsewhere } from '../rest/elsewhere.ts'
import { REST_SUITE_OPTIONS } from '../rest/rest-suite.ts'
import { ServerProcess } from '../testing/server-process.ts'
import { unpackVersionBefore } from './version-before.ts'

let program: string
let postgres: TemporaryCluster
beforeAll(async () => {
  ;[program, postgres] = await Promise.all([unpackVersionBefore(), temporaryCluster()])
})
afterAll(async () => {
  await postgres?.remove()
  if (program) await rm(program, { recursive: true })
})

test('the version before passes its own REST suite on the schema of this version', {
  timeout: 400_000,
}, async () => {
  const url = await postgres.createDatabase()
  const steps = async () => {
    const names = await postgres.run(url, 'select name from kysely_migration order by name')
    return names.trim().split('\n')
  }
  const env = { ...REST_SUITE_OPTIONS, PARLEY_DATABASE_URL: url }
  const server = await ServerProcess.start('version-before', env, undefined, { program })
  try {
    const deployment = await asElsewhere(server)
    const known = await steps()
    const storage = await openStorage(url)
    await storage.close()
    const added = (await steps()).filter((name) => !known.includes(name))
    console.log(`steps that it does not know: ${added.join(', ')}`)
    expect(added).not.toEqual([])
    console.log(await runRestSuite(deployment))
  } finally {
    await server.stop()
    await server.remove()
  }
})

/**
 * Runs the REST suite of the version before.
 * @param deployment where it runs against, see {@link asElsewhere}
 * @returns how many tests passed
 * @throws with its output, if one fails
 */
async function runRestSuite(deployment: Record<string, string>): Promise<string> {
  const suite = ['--config', 'acceptance/vitest.config.ts', '--project', 'rest', 'rest/rest.test.ts']
  const outer = Object.entries(process.env).filter(([key]) => !/^(PARLEY_|VITEST)/.test(key))
  const child = spawn(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...suite], {
    cwd: program,
    env: { ...Object.fromEntries(outer), ...deployment, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  const [passed] = out.match(/Tests .* passed.*/) ?? []
  if (code !== 0 || passed === undefined) throw new Error(`${out}\n${err}`)
  return passed
}
