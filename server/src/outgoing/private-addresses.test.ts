import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isPrivateAddress } from './private-addresses.ts'

const EDGES: [string, string][] = [
  ['0.0.0.0', '0.255.255.255'],
  ['10.0.0.0', '10.255.255.255'],
  ['100.64.0.0', '100.127.255.255'],
  ['127.0.0.0', '127.255.255.255'],
  ['169.254.0.0', '169.254.255.255'],
  ['168.63.129.16', '168.63.129.16'],
  ['172.16.0.0', '172.31.255.255'],
  ['192.0.0.0', '192.0.0.255'],
  ['192.88.99.0', '192.88.99.255'],
  ['192.168.0.0', '192.168.255.255'],
  ['198.18.0.0', '198.19.255.255'],
  ['224.0.0.0', '255.255.255.255'],
]
const PUBLIC_NEIGHBOURS = [
  '1.0.0.0',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.0',
  '169.253.255.255',
  '169.255.0.0',
  '168.63.129.15',
  '172.15.255.255',
  '172.32.0.0',
  '192.0.1.0',
  '192.167.255.255',
  '192.169.0.0',
  '198.17.255.255',
  '198.20.0.0',
  '223.255.255.255',
]
/** Forms of an IPv4 address inside of IPv6. */
const insides = (ipv4: string) => [`::ffff:${ipv4}`, `64:ff9b::${ipv4}`]

describe('IPv4', () => {
  it.each(EDGES)('%s to %s is private, also within IPv6', (first, last) => {
    for (const address of [first, last, ...insides(first), ...insides(last)]) {
      expect(isPrivateAddress(address), address).toBe(true)
    }
  })

  it.each(PUBLIC_NEIGHBOURS)('%s is public, also within IPv6', (address) => {
    for (const spelling of [address, ...insides(address)]) expect(isPrivateAddress(spelling)).toBe(false)
  })
})

describe('IPv6', () => {
  it.each([
    '::',
    '::1',
    '::127.0.0.1',
    '::ffff:7f00:1',
    '0:0:0:0:0:ffff:a00:1',
    '64:ff9b::7f00:1',
    '64:ff9b:1::1',
    '100::1',
    '2001::1',
    '2001:0:4136:e378:8000:63bf:3fff:fdd2',
    '2001:1ff:ffff::',
    '2002:7f00:1::',
    '2002:808:808::1',
    '4000::',
    'fc00::1',
    'fd00:ec2::254',
    'fe80::1',
    'febf::1',
    'fec0::1',
    'ff02::1',
  ])('%s is private', (address) => {
    expect(isPrivateAddress(address)).toBe(true)
  })

  it.each(['2000::1', '2001:200::1', '2606:4700::6810:84e5', '2a00:1450:4001:800::200e', '3fff:ffff::1'])(
    '%s is public',
    (address) => {
      expect(isPrivateAddress(address)).toBe(false)
    },
  )

  it('hides no private IPv4 address', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        for (const spelling of insides(address)) {
          expect(isPrivateAddress(spelling)).toBe(isPrivateAddress(address))
        }
      }),
    )
  })
})

it.each(['', 'example.com', '1.2.3', '1.2.3.4.5', '127.1', '[::1]', '::1%eth0x%'])(
  'takes "%s", which is no address, for private',
  (text) => {
    expect(isPrivateAddress(text)).toBe(true)
  },
)
