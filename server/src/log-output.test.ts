import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const PROGRAM = `
  const { pino } = await import('pino')
  const { logOutput } = await import('${new URL('./log-output.ts', import.meta.url)}')
  pino({ level: 'info' }, await logOutput()).info({ room: 'lobby', name: 'a\\u001b[2Jb\\nc' }, 'member came')`

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what terminals take for colours.
const COLOURS = /\u001b\[\d+m/g
const run = promisify(execFile)
const shellQuoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

it('is JSON for programs', async () => {
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', PROGRAM])
  expect(JSON.parse(stdout)).toMatchObject({ level: 30, room: 'lobby', msg: 'member came' })
})

it('is a line for people in a terminal, which a name cannot steer', async () => {
  const command = `${process.execPath} --input-type=module -e ${shellQuoted(PROGRAM)}`
  const { stdout } = await run('script', ['--quiet', '--return', '--command', command, '/dev/null'])
  const plain = stdout.replaceAll(COLOURS, '').trim()
  expect(plain).toMatch(/^\[\d\d:\d\d:\d\d\.\d+\] INFO.*: member came \{"room":"lobby"/)
  expect(plain.split('\n')).toHaveLength(1)
  expect(plain).toContain('a�[2Jb')
})
