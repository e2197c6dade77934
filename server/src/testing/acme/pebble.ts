import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, request } from 'undici'
import { issueCertificate, makeAuthority } from '../../tls/authority.ts'
import { freePort } from '../free-port.ts'
import { timePasses } from '../time-passes.ts'

/** Pebble, the ACME server for tests of Let's Encrypt (Debian package `pebble`), with a DNS of its own. */
export interface Pebble {
  /** Options of a server that uses it. */
  env: Record<string, string>
  /** The root of the certificates that it issues, in PEM. */
  root: string
  /** Number of its log lines that contain a text. */
  count(text: string): number
  stop(): void
}

const START_TIMEOUT_MS = 10_000

/**
 * Starts Pebble. Every name leads to this machine.
 * @param ports at which it checks challenges
 * @param env variables of Pebble that make it do what other authorities do
 */
export async function startPebble(
  ports: { httpPort: number; tlsPort: number },
  env: Record<string, string> = {},
): Promise<Pebble> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-pebble-'))
  const file = (name: string) => join(folder, name)
  const [port, management, dns, dnsManagement] = [
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
  ]
  const authority = await makeAuthority(Date.now())
  const own = await issueCertificate(authority, ['localhost', '127.0.0.1'], Date.now())
  writeFileSync(file('ca.pem'), authority.cert)
  writeFileSync(file('cert.pem'), own.cert)
  writeFileSync(file('key.pem'), own.key)
  const pebble = {
    listenAddress: `127.0.0.1:${port}`,
    managementListenAddress: `127.0.0.1:${management}`,
    certificate: file('cert.pem'),
    privateKey: file('key.pem'),
    ...ports,
  }
  writeFileSync(file('pebble.json'), JSON.stringify({ pebble }))
  let log = ''
  const run = (program: string, args: string[], variables: Record<string, string> = {}): ChildProcess => {
    const child = spawn(program, args, { env: { PATH: process.env.PATH, ...variables } })
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        log += text
      })
    }
    return child
  }
  const none = ['http01', 'https01', 'tlsalpn01', 'doh'].flatMap((name) => [`-${name}`, ''])
  const children = [
    run('pebble-challtestsrv', [
      ...none.slice(0, 6),
      ...['-dns01', `127.0.0.1:${dns}`, '-management', `127.0.0.1:${dnsManagement}`],
      ...['-defaultIPv4', '127.0.0.1', '-defaultIPv6', ''],
    ]),
    run('pebble', ['-config', file('pebble.json'), '-dnsserver', `127.0.0.1:${dns}`], {
      PEBBLE_VA_NOSLEEP: '1',
      ...env,
    }),
  ]
  const stop = () => {
    for (const child of children) child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
  const agent = new Agent({ connect: { ca: authority.cert } })
  const deadline = performance.now() + START_TIMEOUT_MS
  for (;;) {
    try {
      const answer = await request(`https://127.0.0.1:${management}/roots/0`, { dispatcher: agent })
      const root = await answer.body.text()
      await agent.close()
      const directory = `https://localhost:${port}/dir`
      return {
        env: {
          PARLEY_ACME_DIRECTORY_URL: directory,
          PARLEY_ACME_CA: file('ca.pem'),
          PARLEY_ACME_EMAIL: 'ops@example.org',
        },
        root,
        count: (text) => log.split('\n').filter((line) => line.includes(text)).length,
        stop,
      }
    } catch (error) {
      if (performance.now() > deadline) {
        stop()
        throw new Error(`Pebble does not start: ${log}`, { cause: error })
      }
      await timePasses(50, 'Pebble starts')
    }
  }
}
