import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { run } from '../testing/commands.ts'
import { eventually } from '../testing/eventually.ts'
import { DroppedPackets } from './dropped-packets.ts'

/** An address that nobody has (RFC 5737), one port for each test. */
const HOST = '192.0.2.1'

async function rulesFor(port: number): Promise<string[]> {
  const rules = (await run('iptables', ['-w', '-t', 'raw', '-S', 'OUTPUT'])).toString()
  return rules.split('\n').filter((rule) => rule.includes(`port ${port} `))
}

test('packets pass again at the end', async () => {
  const dropped = await DroppedPackets.at({ host: HOST, port: 9 })
  expect(await rulesFor(9)).toHaveLength(2)
  await dropped.end()
  expect(await rulesFor(9)).toEqual([])
})

test('a test that is killed leaves no rules behind', async () => {
  const program = `
    const { DroppedPackets } = await import(${JSON.stringify(import.meta.resolve('./dropped-packets.ts'))})
    await DroppedPackets.at({ host: '${HOST}', port: 19 })
    console.log('dropped')
  `
  const killed = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(killed.stdout, 'data')
  expect(await rulesFor(19)).toHaveLength(2)
  killed.kill('SIGKILL')
  await eventually(
    'the rules are gone',
    () => rulesFor(19),
    (rules) => rules.length === 0,
  )
})
