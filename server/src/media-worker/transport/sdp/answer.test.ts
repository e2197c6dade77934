import { readFileSync } from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { MediaPermissions } from '../rtc-settings.ts'
import { writeAnswer } from './answer.ts'
import { planAnswer } from './answer-plan.ts'
import { type Direction, parseOffer } from './offer.ts'
import { SdpError } from './sdp-error.ts'

const read = (name: string) => readFileSync(path.join(import.meta.dirname, 'offers', `${name}.sdp`), 'utf8')
const chromium = read('chromium-156')
const firefox = read('firefox-153')
const ALL: MediaPermissions = {
  maySendAudio: true,
  maySendVideo: true,
  mayReceiveAudio: true,
  mayReceiveVideo: true,
}
const ICE = {
  usernameFragment: 'ours',
  password: 'ourpasswordourpassword',
  fingerprint: 'sha-256 AA:BB',
  setup: 'active',
  candidates: ['1 1 UDP 2114977791 192.0.2.1 40000 typ host'],
}

function answerTo(offer: string, may = ALL, { bundle = true, preferred = 'H264' as 'H264' | 'VP8' } = {}) {
  const plan = planAnswer(parseOffer(offer), may, preferred, bundle)
  const sdp = writeAnswer(plan, {
    sessionId: 1,
    version: 2,
    ice: () => ICE,
    streams: (section) =>
      section.offered.kind === 'audio'
        ? { ssrc: 11, cname: 'parley' }
        : { ssrc: 21, retransmissionSsrc: 22, cname: 'parley' },
  })
  return { plan, sdp, sections: sdp.split(/(?=^m=)/m).slice(1) }
}

/** The same offer with the sections the other way round, as a browser makes it where video was added first. */
function videoFirst(offer: string): string {
  const [session, audio, video] = offer.split(/(?=^m=)/m)
  return session + video! + audio!
}

function withDirections(offer: string, audio: Direction, video: Direction): string {
  const [session, first, second] = offer.split(/(?=^m=)/m)
  return session + first!.replace('a=sendrecv', `a=${audio}`) + second!.replace('a=sendrecv', `a=${video}`)
}

const MIRROR: Record<Direction, Direction> = {
  sendrecv: 'sendrecv',
  sendonly: 'recvonly',
  recvonly: 'sendonly',
  inactive: 'inactive',
}

describe.each([
  ['Chromium', chromium],
  ['Firefox', firefox],
])('every answer to %s', (_, offer) => {
  const direction = fc.constantFrom<Direction>('sendrecv', 'sendonly', 'recvonly', 'inactive')

  test('has the offered sections, audio first, mids kept, directions mirrored, CRLF and one at the end', () => {
    fc.assert(
      fc.property(direction, direction, fc.boolean(), fc.boolean(), (audio, video, swapped, bundle) => {
        const offered = withDirections(offer, audio, video)
        const { sdp, sections } = answerTo(swapped ? videoFirst(offered) : offered, ALL, { bundle })
        expect(sections).toHaveLength(2)
        expect(sections[0]).toMatch(/^m=audio 9 /)
        expect(sections[1]).toMatch(/^m=video 9 /)
        expect(sections.map((section) => /a=mid:(\S+)/.exec(section)?.[1])).toEqual(['0', '1'])
        expect(sections[0]).toContain(`\r\na=${MIRROR[audio]}\r\n`)
        expect(sections[1]).toContain(`\r\na=${MIRROR[video]}\r\n`)
        expect(sdp.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
        expect(sdp).toMatch(/[^\r\n]\r\n$/)
        const group = /a=group:BUNDLE (.*)\r/.exec(sdp)?.[1]
        expect(group).toBe(bundle ? (swapped ? '1 0' : '0 1') : undefined)
        for (const section of sections) {
          expect(section).toContain('a=candidate:1 1 UDP 2114977791 192.0.2.1 40000 typ host\r\n')
          expect(section).toContain('a=ice-ufrag:ours\r\n')
          expect(section).toContain('a=setup:active\r\n')
        }
      }),
    )
  })

  test('says streams only where we send', () => {
    fc.assert(
      fc.property(direction, direction, (audio, video) => {
        const { sections } = answerTo(withDirections(offer, audio, video))
        const sends = (each: Direction) => each === 'sendrecv' || each === 'recvonly'
        expect(sections[0]!.includes('a=ssrc:11 ')).toBe(sends(audio))
        expect(sections[1]!.includes('a=ssrc-group:FID 21 22')).toBe(sends(video))
        expect(sections[1]!.includes('a=msid:parley video')).toBe(sends(video))
      }),
    )
  })

  test('takes only what the token allows', () => {
    fc.assert(
      fc.property(fc.boolean(), fc.boolean(), fc.boolean(), fc.boolean(), (a, b, c, d) => {
        const may = { maySendAudio: a, maySendVideo: b, mayReceiveAudio: c, mayReceiveVideo: d }
        const { plan } = answerTo(offer, may)
        const name = (receive: boolean, send: boolean) =>
          send ? (receive ? 'sendrecv' : 'sendonly') : receive ? 'recvonly' : 'inactive'
        expect(plan.audio?.direction).toBe(name(a, c))
        expect(plan.video?.direction).toBe(name(b, d))
        expect(plan.video?.sentCodec !== null).toBe(d)
      }),
    )
  })
})

describe('codecs', () => {
  test('Chromium sends VP8 and is sent H264, constrained baseline, packetization-mode 1', () => {
    const { plan, sections } = answerTo(chromium)
    expect(plan.video?.codecs.map(({ name }) => name)).toEqual(['VP8', 'H264'])
    expect(plan.video?.sentCodec?.name).toBe('H264')
    expect(plan.video?.sentCodec?.parameters).toMatch(/packetization-mode=1;profile-level-id=42e01f/)
    const formats = plan.video!.codecs.flatMap((codec) => [
      codec.payloadType,
      codec.retransmissionPayloadType,
    ])
    expect(sections[1]).toMatch(new RegExp(`^m=video 9 UDP/TLS/RTP/SAVPF ${formats.join(' ')}\r`))
    for (const codec of plan.video!.codecs) {
      expect(sections[1]).toContain(`a=fmtp:${codec.retransmissionPayloadType} apt=${codec.payloadType}\r\n`)
      expect(sections[1]).toContain(`a=rtcp-fb:${codec.payloadType} nack pli\r\n`)
      expect(sections[1]).toContain(`a=rtcp-fb:${codec.payloadType} transport-cc\r\n`)
      expect(sections[1]).toContain(`a=rtcp-fb:${codec.payloadType} goog-remb\r\n`)
    }
    expect(sections[1]).toContain('x-google-start-bitrate=1500;x-google-min-bitrate=150')
  })

  test('the preferred codec is what we send', () => {
    expect(answerTo(chromium, ALL, { preferred: 'VP8' }).plan.video?.sentCodec?.name).toBe('VP8')
  })

  test('Firefox without its plugin is sent VP8', () => {
    const { plan } = answerTo(firefox)
    expect(plan.video?.codecs.map(({ name, payloadType }) => ({ name, payloadType }))).toEqual([
      { name: 'VP8', payloadType: 120 },
    ])
    expect(plan.video?.sentCodec?.name).toBe('VP8')
    expect(plan.video?.codecs[0]?.retransmissionPayloadType).toBe(124)
  })

  test('a browser with H264 alone sends it, too; other modes and profiles are not taken', () => {
    const only = chromium.replace('a=rtpmap:96 VP8/90000\r\n', '')
    expect(answerTo(only).plan.video?.codecs.map(({ name }) => name)).toEqual(['H264'])
    const unusable = only.replaceAll('packetization-mode=1', 'packetization-mode=0')
    expect(answerTo(unusable).plan.video).toBeNull()
    const high = only.replaceAll(/profile-level-id=42..1f/g, 'profile-level-id=64001f')
    expect(answerTo(high).plan.video).toBeNull()
  })

  test('Opus has its redundancy on, one channel, 20 ms, and NACK', () => {
    const [audio] = answerTo(chromium).sections
    expect(audio).toContain('a=fmtp:111 minptime=10;useinbandfec=1;stereo=0;sprop-stereo=0\r\n')
    expect(audio).toContain('a=rtcp-fb:111 nack\r\n')
    expect(audio).toContain('a=rtcp-fb:111 transport-cc\r\n')
    expect(audio).toContain('a=ptime:20\r\n')
    expect(audio).not.toContain('rtpmap:0 ')
  })
})

describe('sections', () => {
  test('that cannot be taken are refused, keep their mid, and leave the bundle', () => {
    const { sdp, sections, plan } = answerTo(chromium.replaceAll(/^a=rtpmap:111 .*\r\n/gm, ''))
    expect(sections[0]).toMatch(/^m=audio 0 UDP\/TLS\/RTP\/SAVPF 111\r\n/)
    expect(sections[0]).toContain('a=mid:0\r\n')
    expect(sdp).toContain('a=group:BUNDLE 1\r\n')
    expect(plan.audio).toBeNull()
  })

  test('of a second camera or of data are refused', () => {
    const [session, audio, video] = chromium.split(/(?=^m=)/m)
    const second = video!.replace('a=mid:1', 'a=mid:2')
    const data = 'm=application 9 UDP/DTLS/SCTP webrtc-datachannel\r\nc=IN IP4 0.0.0.0\r\na=mid:3\r\n'
    const { sections } = answerTo(session + audio! + video! + second + data)
    expect(sections.map((section) => section.split(' ').slice(0, 2).join(' '))).toEqual([
      'm=audio 9',
      'm=video 9',
      'm=video 0',
      'm=application 0',
    ])
  })

  test('switched off by the browser stay off', () => {
    const { sections } = answerTo(chromium.replace(/m=video \d+/, 'm=video 0'))
    expect(sections[1]).toMatch(/^m=video 0 /)
  })

  test('one alone is enough', () => {
    const [session, audio] = chromium.split(/(?=^m=)/m)
    const { sections, sdp } = answerTo(session!.replace('BUNDLE 0 1', 'BUNDLE 0') + audio!)
    expect(sections).toHaveLength(1)
    expect(sdp).toContain('a=group:BUNDLE 0\r\n')
  })

  test('offered only as part of a bundle are bundled, whatever the switch says', () => {
    const [session, audio, video] = chromium.split(/(?=^m=)/m)
    const bundled =
      session +
      audio! +
      video!.replace(/m=video \d+/, 'm=video 0').replace('a=mid:1', 'a=mid:1\r\na=bundle-only')
    const { plan, sdp } = answerTo(bundled, ALL, { bundle: false })
    expect(plan.transports).toHaveLength(1)
    expect(sdp).toContain('a=group:BUNDLE 0 1\r\n')
    expect(sdp).toContain('m=video 9 ')
  })

  test('without a bundle have a transport each', () => {
    const { plan } = answerTo(chromium, ALL, { bundle: false })
    expect(plan.transports.map(({ key, sections }) => [key, sections.length])).toEqual([
      ['0', 1],
      ['1', 1],
    ])
  })
})

test.each([
  [
    'nothing in common',
    chromium.replaceAll(/^a=rtpmap:.*\r\n/gm, ''),
    'no audio or video that can be accepted',
  ],
  ['no ICE credentials', chromium.replaceAll(/^a=ice-pwd:.*\r\n/gm, ''), 'no ICE credentials'],
  ['no fingerprint', chromium.replaceAll(/^a=fingerprint:.*\r\n/gm, ''), 'no certificate fingerprint'],
])('an offer with %s is refused', (_, offer, reason) => {
  expect(() => answerTo(offer)).toThrow(SdpError)
  expect(() => answerTo(offer)).toThrow(reason)
})
