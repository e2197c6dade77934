import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { options } from './config/options.ts'
import { ConfigError, plainHttpPort, readConfig, unknownOptions } from './config.ts'

function complaints(env: Record<string, string>): string[] {
  try {
    readConfig(env)
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError)
    return (error as Error).message.split('\n')
  }
  return []
}

describe('readConfig', () => {
  it('has a working default for every option', () => {
    const config = readConfig({})
    expect(config.port).toBe(8443)
    expect(config.dataDir).toBe(resolve('data'))
    expect(config.rtcPorts).toEqual({ first: 40000, last: 40099 })
    expect(config.sessionGraceMs).toBe(10_000)
    expect(config.fps).toBe(20)
    expect(config.mediaWorkers).toBeGreaterThanOrEqual(1)
  })

  it('takes an empty variable for an absent one', () => {
    expect(readConfig({ PARLEY_PORT: '', PARLEY_PUBLIC_URL: '  ' })).toEqual(readConfig({}))
  })

  it('has a port for plain HTTP beside that for HTTPS', () => {
    const portOf = (env: Record<string, string>) => plainHttpPort(readConfig(env))
    expect(portOf({})).toBe(8442)
    expect(portOf({ PARLEY_PORT: '443' })).toBe(80)
    expect(portOf({ PARLEY_PORT: '0' })).toBe(0)
    expect(portOf({ PARLEY_HTTP_PORT: '8080' })).toBe(8080)
    for (const none of ['0', 'off']) expect(portOf({ PARLEY_HTTP_PORT: none })).toBe(0)
    expect(complaints({ PARLEY_PORT: '9000', PARLEY_HTTP_PORT: '9000' })).toHaveLength(1)
  })

  it('cannot be changed', () => {
    const config = readConfig({})
    expect(() => Object.assign(config, { port: 1 })).toThrow(TypeError)
    expect(() => Object.assign(config.rtcPorts, { first: 1 })).toThrow(TypeError)
  })

  it('reads each kind of value', () => {
    const config = readConfig({
      PARLEY_PORT: '0',
      PARLEY_PUBLIC_URL: 'https://Meet.example.org:443/',
      PARLEY_SERVICE_DOMAIN: 'Spaces.Example.org.',
      PARLEY_TRUSTED_PROXIES: '10.0.0.0/8, ::1',
      PARLEY_RTC_PORTS: '5000',
      PARLEY_FPS: '30',
      PARLEY_ALLOW_PRIVATE_TARGETS: '1',
      PARLEY_RECONNECT_GRACE_SECONDS: '45',
      PARLEY_PRICE_RECORDED_MINUTE: '0.0045',
    })
    expect(config.port).toBe(0)
    expect(config.publicUrl).toBe('https://meet.example.org')
    expect(config.serviceDomain).toBe('spaces.example.org')
    expect(config.trustedProxies).toEqual(['10.0.0.0/8', '::1'])
    expect(config.rtcPorts).toEqual({ first: 5000, last: 5000 })
    expect(config.mediaWorkers).toBe(1)
    expect(config.fps).toBe(30)
    expect(config.allowPrivateTargets).toBe(true)
    expect(config.reconnectGraceMs).toBe(45_000)
    expect(config.pricePerRecordedMinute).toBe(0.0045)
  })

  it('wants the projects that are in no space to have a host of their own', () => {
    const env = { PARLEY_SERVICE_DOMAIN: 'example.org', PARLEY_PUBLIC_URL: 'https://meet.example.org' }
    expect(complaints(env)).toEqual([expect.stringMatching(/^PARLEY_PUBLIC_URL .*host of a space/)])
    expect(complaints({ ...env, PARLEY_PUBLIC_URL: 'https://example.org' })).toEqual([])
    for (const domain of ['127.0.0.1', 'a..b', '*.example.org', 'https://example.org', 'ex ample.org']) {
      expect(complaints({ PARLEY_SERVICE_DOMAIN: domain }), domain).toHaveLength(1)
    }
  })

  it('names every bad value at once', () => {
    const bad = {
      PARLEY_HOST: 'no such host',
      PARLEY_PORT: '65536',
      PARLEY_HTTP_PORT: 'none',
      PARLEY_ACME_EMAIL: 'ops',
      PARLEY_ACME_DIRECTORY_URL: 'http://ca.example.org',
      PARLEY_PUBLIC_URL: 'http://meet.example.org',
      PARLEY_SERVICE_DOMAIN: 'localhost',
      PARLEY_PROJECT_ID: 'a:b',
      PARLEY_API_TOKEN: 'short',
      PARLEY_DATABASE_URL: 'mysql://user:password@host/database',
      PARLEY_TRUSTED_PROXIES: '10.0.0.0/33',
      PARLEY_RTC_PORTS: '500-400',
      PARLEY_ANNOUNCED_IP: 'localhost',
      PARLEY_MEDIA_WORKERS: '-1',
      PARLEY_LOG_LEVEL: 'loud',
      PARLEY_FPS: '25',
      PARLEY_SESSION_GRACE_SECONDS: '1e3',
      PARLEY_RECONNECT_GRACE_SECONDS: 'soon',
      PARLEY_MAX_AUDIENCE: '1.5',
      PARLEY_ALLOW_PRIVATE_TARGETS: 'perhaps',
      PARLEY_PRICE_RECORDED_MINUTE: 'NaN',
    }
    const lines = complaints(bad)
    expect(lines.map((line) => line.split(' ')[0]).sort()).toEqual(Object.keys(bad).sort())
  })

  it('does not repeat a bad secret', () => {
    const bad = { PARLEY_API_TOKEN: 'hunter2', PARLEY_DATABASE_URL: 'https://u:hunter2@host/database' }
    expect(complaints(bad)).toHaveLength(2)
    expect(complaints(bad).join()).not.toContain('hunter2')
  })

  it.each(['https://a.example/path', 'https://user@a.example', 'https://a.example?x', 'a.example'])(
    'refuses the public URL %s',
    (url) => {
      expect(complaints({ PARLEY_PUBLIC_URL: url })).toHaveLength(1)
    },
  )

  it.each(['postgres://one,two/parley', 'postgresql://u:pw@one:5432,two:5432/parley'])(
    'refuses several hosts in one URL, and says what to do: %s',
    (url) => {
      expect(complaints({ PARLEY_DATABASE_URL: url })).toEqual([expect.stringContaining('docs/scaling.md')])
    },
  )

  it('takes a comma in the password of the database', () => {
    const url = 'postgres://u:a,b@one/parley'
    expect(readConfig({ PARLEY_DATABASE_URL: url }).databaseUrl).toBe(url)
  })

  it('wants certificate and key together', () => {
    expect(complaints({ PARLEY_TLS_CERT: 'cert.pem' })[0]).toContain('PARLEY_TLS_KEY')
  })

  it('says why there can be no ACME', () => {
    const because = (env: Record<string, string>) =>
      complaints({ PARLEY_ACME_EMAIL: 'ops@example.org', ...env })[0]
    expect(because({})).toMatch(/needs PARLEY_PUBLIC_URL/)
    for (const address of ['https://192.0.2.7', 'https://[2001:db8::7]:8443']) {
      expect(because({ PARLEY_PUBLIC_URL: address })).toMatch(/no certificates for the address/)
    }
    for (const name of ['https://localhost:8443', 'https://box', 'https://box.local']) {
      expect(because({ PARLEY_PUBLIC_URL: name })).toMatch(/no public authority knows/)
    }
    const PARLEY_PUBLIC_URL = 'https://meet.example.org'
    const files = { PARLEY_TLS_CERT: 'a.pem', PARLEY_TLS_KEY: 'b.pem' }
    expect(because({ PARLEY_PUBLIC_URL, ...files })).toMatch(/exclude each other/)
    expect(because({ PARLEY_PUBLIC_URL })).toBeUndefined()
    const inCluster = {
      PARLEY_NATS_URL: 'nats://n',
      PARLEY_NODE_ADDRESS: 'n:1',
      PARLEY_DATABASE_URL: 'postgres://d/d',
    }
    expect(because({ PARLEY_PUBLIC_URL, ...inCluster })).toMatch(/balancer/)
    const PARLEY_ACME_DIRECTORY_URL = 'https://ca.box:14000/dir'
    expect(because({ PARLEY_PUBLIC_URL: 'https://box', PARLEY_ACME_DIRECTORY_URL })).toBeUndefined()
    expect(because({ PARLEY_PUBLIC_URL, PARLEY_ACME_DIRECTORY_URL: 'http://ca.box' })).toMatch(/https:/)
  })

  it('refuses more workers than there are ports', () => {
    expect(complaints({ PARLEY_RTC_PORTS: '5000', PARLEY_MEDIA_WORKERS: '2' })[0]).toContain(
      'PARLEY_RTC_PORTS',
    )
  })
})

it('points at variables that are most likely misspelt', () => {
  expect(unknownOptions({ PARLEY_PROT: '1', PARLEY_PORT: '1', PATH: '/bin' })).toEqual(['PARLEY_PROT'])
})

it('documents every option in one line', () => {
  for (const entry of Object.values(options)) {
    expect(entry.doc).toMatch(/^[A-Z].*\.$/)
    expect(entry.doc).not.toContain('\n')
    expect(entry.default).not.toBe('')
  }
})
