import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { request } from 'node:https'
import { createServer } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { Config } from '../../config.ts'
import { issuedCertificateFile } from './acme.ts'
import { certificateFiles } from './certificate.ts'
import { type Examination, type Finding, failed, ok, type Patient, warning } from './finding.ts'

const ANSWER_MS = 3000

/** Examines the TCP port: whether it is free for the server, or the server uses it. */
export const webPort: Examination = {
  subject: 'TCP port',
  async examine({ config, clock }: Patient) {
    const { port } = config
    if (port === 0) return [ok('TCP port', 'picked by the system at each start')]
    const subject = `TCP port ${port}`
    const served = await askReadiness(config)
    if (served === 'nobody') return [await canListen(subject, config)]
    if (served === 'another') {
      return [failed(subject, 'is used by another program', 'Stop it, or set PARLEY_PORT to another port.')]
    }
    const findings = [
      served.status === 200
        ? ok(subject, 'served by Parley, which is ready')
        : warning(subject, 'served by Parley, which is not ready', 'Ask /readyz for the reasons.'),
    ]
    const path = (await issuedCertificateFile(config, clock.now())) ?? certificateFiles(config).cert
    const file = await readFile(path).catch(() => undefined)
    if (file && new X509Certificate(file).fingerprint256 !== served.fingerprint) {
      const advice =
        'A renewed certificate is taken within twelve hours, or at a restart. Or is it another server?'
      findings.push(warning(subject, 'serves another certificate than that of the configuration', advice))
    }
    return findings
  },
}

/** Whether Parley answers at the configured port. */
export async function isServing(config: Config): Promise<boolean> {
  return config.port !== 0 && typeof (await askReadiness(config)) === 'object'
}

interface Served {
  status: number
  fingerprint: string
}

/** Asks a port itself. The certificate is not verified, because it only matters which program answers. */
export function askReadiness({
  host,
  port,
}: Pick<Config, 'host' | 'port'>): Promise<Served | 'nobody' | 'another'> {
  const address = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host
  return new Promise((resolve) => {
    const asked = request(
      { host: address, port, path: '/readyz', rejectUnauthorized: false, timeout: ANSWER_MS, agent: false },
      (answer) => {
        const fingerprint = (answer.socket as TLSSocket).getPeerCertificate().fingerprint256
        let body = ''
        answer.setEncoding('utf8').on('data', (text: string) => {
          body = (body + text).slice(0, 1000)
        })
        answer.on('end', () => {
          const isOurs = /^\{"status":"(ready|unavailable)","reasons":/.test(body)
          resolve(isOurs ? { status: answer.statusCode ?? 0, fingerprint } : 'another')
        })
      },
    )
    asked.on('timeout', () => asked.destroy())
    asked.on('error', ({ code }: NodeJS.ErrnoException) =>
      resolve(['ECONNREFUSED', 'EADDRNOTAVAIL', 'ENOTFOUND'].includes(code ?? '') ? 'nobody' : 'another'),
    )
    asked.end()
  })
}

async function canListen(subject: string, { host, port }: Config): Promise<Finding> {
  const listener = createServer()
  const code = await new Promise<string>((resolve) => {
    listener.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    listener.listen({ host, port, exclusive: true }, () => resolve(''))
  })
  if (code === '') {
    await new Promise((resolve) => listener.close(resolve))
    return ok(subject, `free at ${host}`)
  }
  const advice =
    {
      EACCES: 'Ports below 1024 need the capability CAP_NET_BIND_SERVICE.',
      EADDRINUSE: 'Stop what uses it, or set PARLEY_PORT to another port.',
    }[code] ?? 'Set PARLEY_HOST to an address of this machine.'
  return failed(subject, `cannot be listened at on ${host} (${code})`, advice)
}
