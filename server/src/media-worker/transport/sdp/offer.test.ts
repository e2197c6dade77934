import { readFileSync } from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseOffer } from './offer.ts'
import { SdpError } from './sdp-error.ts'

const read = (name: string) => readFileSync(path.join(import.meta.dirname, 'offers', `${name}.sdp`), 'utf8')
const chromium = read('chromium-156')
const firefox = read('firefox-153')

describe('Chromium’s offer', () => {
  const { sections, bundle, fromFirefox } = parseOffer(chromium)
  const [audio, video] = sections

  test('has an audio and a video section in one bundle', () => {
    expect(
      sections.map(({ kind, mid, direction, disabled }) => ({ kind, mid, direction, disabled })),
    ).toEqual([
      { kind: 'audio', mid: '0', direction: 'sendrecv', disabled: false },
      { kind: 'video', mid: '1', direction: 'sendrecv', disabled: false },
    ])
    expect(bundle).toEqual(['0', '1'])
    expect(fromFirefox).toBe(false)
  })

  test('lists codecs with parameters and feedback', () => {
    expect(audio?.codecs[0]).toEqual({
      payloadType: 111,
      name: 'opus',
      clockRate: 48_000,
      parameters: 'minptime=10;useinbandfec=1',
      feedback: ['transport-cc'],
    })
    expect(video?.codecs.find((codec) => codec.name === 'VP8')?.feedback).toEqual([
      'goog-remb',
      'transport-cc',
      'ccm fir',
      'nack',
      'nack pli',
    ])
    expect(video?.codecs.some((codec) => codec.name === 'rtx' && codec.parameters === 'apt=96')).toBe(true)
  })

  test('gives ICE and DTLS of each section, and only UDP candidates', () => {
    for (const { ice } of sections) {
      expect(ice.usernameFragment.length).toBeGreaterThanOrEqual(4)
      expect(ice.password.length).toBeGreaterThanOrEqual(22)
      expect(ice.fingerprint).toMatch(/^sha-256 ([0-9A-F]{2}:){31}[0-9A-F]{2}$/)
      expect(ice.setup).toBe('actpass')
      expect(ice.candidates.length).toBeGreaterThan(0)
      expect(ice.candidates.every((candidate) => / udp /i.test(candidate))).toBe(true)
    }
  })
})

describe('Firefox’s offer', () => {
  const { sections, fromFirefox } = parseOffer(firefox)
  const [audio, video] = sections

  test('has its fingerprint at session level, its payload types elsewhere, and no H264', () => {
    expect(fromFirefox).toBe(true)
    expect(audio?.ice.fingerprint).toMatch(/^sha-256 /)
    expect(video?.ice.fingerprint).toBe(audio?.ice.fingerprint)
    expect(audio?.codecs.find((codec) => codec.name === 'opus')?.payloadType).toBe(109)
    expect(video?.codecs.find((codec) => codec.name === 'VP8')?.payloadType).toBe(120)
    expect(video?.codecs.some((codec) => codec.name === 'H264')).toBe(false)
  })

  test('has candidates of the first component only, and no one-way extensions', () => {
    expect(audio?.ice.candidates.every((candidate) => candidate.split(' ')[1] === '1')).toBe(true)
    expect(audio?.extensions.map(({ id }) => id)).toEqual([1, 3, 7])
  })

  test('is read by section: sendrecv at session level means nothing', () => {
    const listening = firefox.replaceAll(/(m=video[\s\S]*?)a=sendrecv/g, '$1a=recvonly')
    expect(parseOffer(listening).sections.map(({ direction }) => direction)).toEqual(['sendrecv', 'recvonly'])
  })
})

describe('candidates', () => {
  const withCandidate = (candidate: string) =>
    parseOffer(chromium.replace(/a=candidate:.*/, `a=candidate:${candidate}`)).sections[0]!.ice.candidates[0]

  test('with names are left out, and so never resolved', () => {
    const named = '1 1 udp 2122194687 3f2a-77.local 38025 typ host generation 0'
    expect(withCandidate(named)).not.toBe(named)
    expect(withCandidate('1 1 udp 1 metadata.internal 80 typ host')).not.toContain('metadata')
  })

  test('that are hidden, or not there at all, are told from open ones', () => {
    const hidden = (sdp: string) => parseOffer(sdp).sections[0]!.ice.hidden
    const named = 'a=candidate:1 1 udp 2122194687 3f2a-77.local 38025 typ host generation 0'
    expect(hidden(chromium)).toBe(false)
    expect(hidden(chromium.replace(/a=candidate:.*/, named))).toBe(true)
    expect(hidden(chromium.replaceAll(/a=candidate:.*\r\n/g, ''))).toBe(true)
  })

  test('that are relayed over TCP or TLS alone are told from those over UDP', () => {
    // As Chromium writes them, over UDP, TCP and TLS.
    const relayed = [41885439, 25108223, 8331263].map(
      (priority, index) =>
        `a=candidate:7 1 udp ${priority} 192.0.2.9 ${5000 + index} typ relay raddr 0.0.0.0`,
    )
    const isOverTcp = (lines: string[]) =>
      parseOffer(chromium.replace(/(?=a=candidate:)/, lines.map((line) => `${line}\r\n`).join('')))
        .sections[0]!.ice.relayedOverTcp
    expect(isOverTcp([])).toBe(false)
    expect(isOverTcp(relayed)).toBe(false)
    expect(isOverTcp(relayed.slice(1))).toBe(true)
    expect(isOverTcp(relayed.slice(2))).toBe(true)
  })

  test('with strange ports or no type are left out', () => {
    for (const odd of [
      '1 1 udp 1 192.0.2.9 0 typ host',
      '1 1 udp 1 192.0.2.9 70000 typ host',
      '1 1 udp 1 192.0.2.9 9',
    ]) {
      expect(withCandidate(odd)).not.toBe(odd)
    }
    const usable = '1 1 UDP 1 2001:db8::1 9000 typ srflx raddr 192.0.2.9 rport 9'
    expect(withCandidate(usable)).toBe(usable)
  })

  test('are bounded in number', () => {
    const many = Array.from({ length: 500 }, (_, i) => `a=candidate:${i} 1 udp 1 192.0.2.9 ${i + 1} typ host`)
    const { ice } = parseOffer(chromium.replace(/a=candidate:.*/, many.join('\r\n'))).sections[0]!
    expect(ice.candidates.length).toBe(16)
  })
})

describe('what is no offer', () => {
  test.each([
    ['', 'no session description'],
    ['hello', 'no session description'],
    ['v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\n', 'has no media'],
    ['v=0\r\nm=audio x UDP/TLS/RTP/SAVPF 111\r\n', 'a media line cannot be understood'],
    ['v=0\r\nm=audio 9 UDP/TLS/RTP/SAVPF 111\r\na=sendrecv\r\n', 'has no mid'],
    [`v=0\r\n${'m=audio 9 UDP/TLS/RTP/SAVPF 111\r\na=mid:0\r\n'.repeat(2)}`, 'the same mid'],
    [`v=0\r\n${'m=audio 9 UDP/TLS/RTP/SAVPF 111\r\n'.repeat(17)}`, 'too many media sections'],
    [`v=0\r\n${'a=x\r\n'.repeat(20_000)}`, 'too long'],
    [`v=0\r\n${'a=x\r\n'.repeat(2000)}`, 'too many lines'],
    [chromium.replace('a=sendrecv', `a=${' '.repeat(5000)}x`), 'a line of the offer is too long'],
  ])('is refused with its reason', (sdp, reason) => {
    expect(() => parseOffer(sdp)).toThrow(SdpError)
    expect(() => parseOffer(sdp)).toThrow(reason)
  })

  test('never makes the parser fail in any other way', () => {
    const lines = [...chromium.split('\r\n'), ...firefox.split('\r\n')]
    const line = fc.oneof(
      fc.constantFrom(...lines),
      fc.string(),
      fc.constantFrom(...lines).map((each) => each.slice(0, 9)),
    )
    fc.assert(
      fc.property(fc.array(line, { maxLength: 60 }), (parts) => {
        try {
          parseOffer(['v=0', ...parts].join('\r\n'))
        } catch (error) {
          expect(error).toBeInstanceOf(SdpError)
        }
      }),
      { numRuns: 500 },
    )
  })

  test.each([
    ['rtpmap', (i: number) => `a=rtpmap:${i % 128} x${i}/90000`],
    ['fmtp', (i: number) => `a=fmtp:${i % 128} apt=${i}`],
    ['rtcp-fb', (i: number) => `a=rtcp-fb:* nack ${i}`],
    ['candidate', (i: number) => `a=candidate:${i} 1 udp 1 h${i}.local 9 typ host`],
    ['extmap', (i: number) => `a=extmap:${(i % 14) + 1} u${i}`],
    ['blanks', (i: number) => `a=fingerprint:${' '.repeat(20)}${i}`],
  ])('takes no time that matters, however many lines of a kind it has: %s', (_, line) => {
    const kinds = ['rtpmap', 'fmtp', 'rtcp-fb'].map((name) => `a=${name}:96 VP8/90000 x`)
    let offer = `${chromium}${kinds.join('\r\n')}\r\n`
    for (let i = 0; offer.length < 63_000 && offer.split('\n').length < 1990; i++) offer += `${line(i)}\r\n`
    parseOffer(offer)
    const startedAt = performance.now()
    for (let time = 0; time < 10; time++) {
      const { sections } = parseOffer(offer)
      for (const { codecs, ice } of sections) {
        expect(codecs.length).toBeLessThanOrEqual(128)
        for (const { feedback } of codecs) expect(feedback.length).toBeLessThanOrEqual(16)
        expect(ice.candidates.length).toBeLessThanOrEqual(16)
      }
    }
    expect((performance.now() - startedAt) / 10).toBeLessThan(50)
  })

  test('leaves room for browsers that offer several times what they offer today', () => {
    for (const offer of [chromium, firefox]) {
      const [head = '', ...sections] = offer.split(/(?=^m=)/m)
      const more = Array.from({ length: 8 }, () => sections)
        .flat()
        .map((section, mid) => section.replace(/^a=mid:.*$/m, `a=mid:${mid}`))
      expect(parseOffer(head + more.join('')).sections).toHaveLength(16)
    }
  })

  test('cannot smuggle lines into what the native side is given', () => {
    const evil = chromium.replaceAll(/a=ice-ufrag:.*/g, 'a=ice-ufrag:abcd efgh\ta=candidate:x')
    expect(parseOffer(evil).sections[0]!.ice.usernameFragment).toBe('')
  })
})
