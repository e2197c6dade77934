import { networkInterfaces } from 'node:os'
import { describe, expect, it } from 'vitest'
import { Refusal } from '../errors/refusal.ts'
import { createTargets, readTarget } from './targets.ts'

const NAMES: Record<string, string[]> = {
  'live.example.com': ['203.0.113.9', '2606:4700::1'],
  'inside.example.com': ['10.0.0.5'],
  'meet.example.com': ['203.0.113.80'],
  'half.example.com': ['203.0.113.9', '127.0.0.1'],
  'mapped.example.com': ['::ffff:192.168.0.1'],
  'xn--bcher-kva.example': ['203.0.113.9'],
}
const lookup = async (name: string) => {
  const found = NAMES[name]
  if (!found) throw new Error('ENOTFOUND')
  return found
}
const RTMP = ['rtmp', 'rtmps']
const strict = createTargets({ allowPrivateTargets: false, lookup })
const lenient = createTargets({ allowPrivateTargets: true, lookup })

/** The code of the refusal; null when there is none. */
const verdict = (check: Promise<unknown>) =>
  check.then(
    () => null,
    (error: unknown) => (error instanceof Refusal ? error.code : error),
  )
const judge = (url: string, targets = strict) => verdict(targets.check(url, RTMP, 'url'))

describe('a target', () => {
  it.each([
    'rtmp://live.example.com/app/key',
    'rtmps://live.example.com:443/app/key?a=b#c',
    'RTMP://LIVE.example.com:1935/app',
    'rtmp://live.example.com',
    'rtmp://user:pass@live.example.com/app/key',
    'rtmp://8.8.8.8/app',
    'rtmp://[2606:4700::1]:1935/app',
    'rtmp://bücher.example/app',
    // The name cannot be resolved now, so the address cannot be checked yet.
    'rtmp://nobody-knows.example.com/app',
  ])('may be %s', async (url) => {
    expect(await judge(url)).toBeNull()
  })

  it.each([
    '',
    'live.example.com/app',
    'rtmp:live.example.com',
    'rtmp:/live.example.com',
    'rtmp://',
    'rtmp:///app',
    'rtmp://:1935/app',
    'rtmp://live.example.com:99999/app',
    'rtmp://live.example.com:0/app',
    'rtmp://live.example.com:1935x/app',
    'rtmp://live example.com/app',
    ' rtmp://live.example.com/app',
    'rtmp://live.example.com/app\n',
    'rtmp://live.example.com\\@127.0.0.1/app',
    'rtmp://live.example.com/\u0000',
    'rtmp://[::1/app',
    'rtmp://[fe80::1%25eth0]/app',
    'rtmp://1.2.3.4.5/app',
    'rtmp://256.1.1.1/app',
    'rtmp://a<b/app',
    'http://live.example.com/app',
    'rtmpt://live.example.com/app',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'rtmp://\ud800/app',
  ])('may not be %j, which says no such place', async (url) => {
    expect(await judge(url)).toBe('url_failed_to_parse')
  })

  it.each([
    'rtmp://localhost/app',
    'rtmp://LOCALHOST:1935/app',
    'rtmp://localhost./app',
    'rtmp://a.localhost/app',
    'rtmp://printer.local/app',
    'rtmp://metadata.google.internal/app',
    'rtmp://127.0.0.1/app',
    'rtmp://127.0.0.1./app',
    'rtmp://127.1/app',
    'rtmp://127.0.1/app',
    'rtmp://2130706433/app',
    'rtmp://0x7f000001/app',
    'rtmp://0x7f.0x0.0x0.0x1/app',
    'rtmp://0177.0.0.1/app',
    'rtmp://017700000001/app',
    'rtmp://0/app',
    'rtmp://%31%32%37.0.0.1/app',
    'rtmp://１２７.0.0.1/app',
    'rtmp://127。0。0。1/app',
    'rtmp://user@127.0.0.1:1935/app',
    'rtmp://live.example.com@127.0.0.1/app',
    'rtmp://live.example.com:1@127.0.0.1/app',
    'rtmp://10.1.2.3/app',
    'rtmp://172.20.0.1/app',
    'rtmp://192.168.1.1/app',
    'rtmp://169.254.169.254/latest/meta-data',
    'rtmp://100.100.100.200/app',
    'rtmp://224.0.0.1/app',
    'rtmp://255.255.255.255/app',
    'rtmp://[::1]/app',
    'rtmp://[::]/app',
    'rtmp://[0:0:0:0:0:0:0:1]/app',
    'rtmp://[::ffff:127.0.0.1]/app',
    'rtmp://[::ffff:7f00:1]/app',
    'rtmp://[64:ff9b::10.0.0.1]/app',
    'rtmp://[2002:7f00:1::]/app',
    'rtmp://[fd00:ec2::254]/app',
    'rtmp://[fe80::1]/app',
    'rtmp://inside.example.com/app',
    'rtmp://half.example.com/app',
    'rtmp://mapped.example.com/app',
  ])('may not be %s, which leads inside, unless the operator lets it', async (url) => {
    expect(await judge(url)).toBe('url_is_unsafe')
    expect(await judge(url, lenient)).toBeNull()
  })

  it('is resolved anew for each connection, and judged again', async () => {
    let answer = ['203.0.113.9']
    const targets = createTargets({ allowPrivateTargets: false, lookup: async () => answer })
    const url = 'rtmp://rebound.example.com:1936/app'
    expect(await targets.resolve(url, RTMP, 'url')).toEqual({
      protocol: 'rtmp',
      host: 'rebound.example.com',
      port: 1936,
      address: '203.0.113.9',
    })
    answer = ['127.0.0.1']
    expect(await verdict(targets.resolve(url, RTMP, 'url'))).toBe('url_is_unsafe')
    answer = []
    expect(await verdict(targets.resolve(url, RTMP, 'url'))).toBe('url_failed_to_parse')
    expect((await lenient.resolve('rtmp://127.1/app', RTMP, 'url')).address).toBe('127.0.0.1')
  })

  it("may not be the server's own address, by whatever name, unless the operator lets it", async () => {
    const own = Object.values(networkInterfaces())
      .flatMap((entries) => entries ?? [])
      .map(({ address, family }) => (family === 'IPv6' ? `[${address.split('%', 1)[0]}]` : address))
    const announced = { announcedIp: '203.0.113.77', publicUrl: 'https://meet.example.com:8443', lookup }
    const behindNat = createTargets({ allowPrivateTargets: false, ...announced })
    const urls = [
      ...own.map((address) => `rtmp://${address}/app`),
      'rtmp://203.0.113.77/app',
      'rtmp://[::ffff:203.0.113.77]/app',
      'rtmp://[64:ff9b::203.0.113.77]/app',
      'rtmp://meet.example.com/app',
      'rtmp://203.0.113.80:443/app',
    ]
    for (const url of urls) expect([url, await judge(url, behindNat)]).toEqual([url, 'url_is_unsafe'])
    expect(await judge('rtmp://203.0.113.78/app', behindNat)).toBeNull()
    const open = createTargets({ allowPrivateTargets: true, ...announced })
    for (const url of urls) expect([url, await judge(url, open)]).toEqual([url, null])
  })

  it('may not be in a network that the operator denies, whatever else is allowed', async () => {
    const deniedTargets = ['203.0.113.0/24', '2001:db8::1']
    for (const allowPrivateTargets of [true, false]) {
      const targets = createTargets({ allowPrivateTargets, deniedTargets, lookup })
      for (const url of [
        'rtmp://203.0.113.9/app',
        'rtmp://live.example.com/app',
        'rtmp://[::ffff:203.0.113.9]/app',
        'rtmp://[64:ff9b::203.0.113.9]/app',
        'rtmp://[2001:db8::1]/app',
      ]) {
        expect([url, await judge(url, targets)]).toEqual([url, 'url_is_unsafe'])
        expect(await verdict(targets.resolve(url, RTMP, 'url'))).toBe('url_is_unsafe')
      }
      expect(await judge('rtmp://8.8.8.8/app', targets)).toBeNull()
    }
  })

  it('names the parameter that it came in', async () => {
    const error = await strict.check('nonsense', RTMP, 'url').catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ kind: 'invalid', entries: [{ attribute: 'url' }] })
  })
})

it.each([
  ['rtmp://h:443/a', { protocol: 'rtmp', host: 'h', port: 443 }],
  ['rtmps://u:p@BÜCHER.example./a', { protocol: 'rtmps', host: 'xn--bcher-kva.example', port: null }],
  ['rtmp://[2606:4700:0::0001]:1/a', { protocol: 'rtmp', host: '2606:4700::1', port: 1 }],
])('%s is read', (url, expected) => {
  expect(readTarget(url)).toEqual(expected)
})
