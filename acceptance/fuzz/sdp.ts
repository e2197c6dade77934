import { readFileSync } from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { expect } from 'vitest'
import { writeAnswer } from '../../server/src/media-worker/transport/sdp/answer.ts'
import { planAnswer } from '../../server/src/media-worker/transport/sdp/answer-plan.ts'
import { parseOffer } from '../../server/src/media-worker/transport/sdp/offer.ts'
import { SdpError } from '../../server/src/media-worker/transport/sdp/sdp-error.ts'
import { type FuzzPlan, fuzz } from './fuzzing.ts'

const OFFERS = path.join(import.meta.dirname, '../../server/src/media-worker/transport/sdp/offers')
const offers = ['chromium-156', 'firefox-153'].map((name) =>
  readFileSync(path.join(OFFERS, `${name}.sdp`), 'utf8'),
)
const lines = [...new Set(offers.flatMap((offer) => offer.split('\r\n')))]
/** Time limit for an offer, in milliseconds. On an idle machine the largest offers take 2 ms. */
const LONGEST_MS = 500

const number = fc.oneof(fc.nat(127), fc.constantFrom(-1, 0, 65_535, 65_536, 2 ** 32, 1e20))
const word = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.constantFrom('UDP/TLS/RTP/SAVPF', '*', 'BUNDLE', ' '.repeat(500)),
)

/** A line with the grammar of RFC 8866 and valid or invalid values. */
const grammatical = fc.oneof(
  fc
    .tuple(fc.constantFrom('audio', 'video', 'application'), number, word, number)
    .map(([k, p, w, f]) => `m=${k} ${p} ${w} ${f}`),
  fc.tuple(number, word, number).map(([type, name, rate]) => `a=rtpmap:${type} ${name}/${rate}`),
  fc.tuple(number, word).map(([type, value]) => `a=fmtp:${type} ${value}`),
  fc.tuple(fc.oneof(number, fc.constant('*')), word).map(([type, value]) => `a=rtcp-fb:${type} ${value}`),
  fc.tuple(number, word).map(([id, uri]) => `a=extmap:${id} ${uri}`),
  fc
    .tuple(number, fc.oneof(fc.ipV4(), fc.ipV6(), word), number)
    .map(([c, a, p]) => `a=candidate:1 ${c} udp 1 ${a} ${p} typ host`),
  fc
    .tuple(fc.constantFrom('mid', 'ice-ufrag', 'ice-pwd', 'fingerprint', 'setup', 'group'), word)
    .map(([n, v]) => `a=${n}:${v}`),
  fc.constantFrom(
    'a=sendrecv',
    'a=recvonly',
    'a=inactive',
    'a=bundle-only',
    'a=rtcp-mux',
    '',
    'a=',
    'a=:',
    'v=0',
  ),
  fc.string({ maxLength: 200 }),
)

interface Edit {
  at: number
  line: string
  how: 'replace' | 'insert' | 'remove' | 'repeat'
  times: number
}

const edit: fc.Arbitrary<Edit> = fc.record({
  at: fc.nat(300),
  line: fc.oneof(grammatical, fc.constantFrom(...lines)),
  how: fc.constantFrom('replace', 'insert', 'remove', 'repeat'),
  times: fc.oneof({ weight: 9, arbitrary: fc.nat(4) }, { weight: 1, arbitrary: fc.nat(3000) }),
})

/** Offers of real browsers with some lines changed; sometimes only unusual lines. */
export const arbitraryOffer: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 9,
    arbitrary: fc
      .tuple(fc.constantFrom(...offers), fc.array(edit, { maxLength: 6 }))
      .map(([offer, edits]) => {
        const text = offer.split('\r\n')
        for (const { at, line, how, times } of edits) {
          const place = at % text.length
          const replacement =
            how === 'remove' ? [] : how === 'repeat' ? new Array<string>(times).fill(text[place]!) : [line]
          text.splice(place, how === 'insert' ? 0 : 1, ...replacement)
        }
        return text.join('\r\n')
      }),
  },
  {
    weight: 1,
    arbitrary: fc.array(grammatical, { maxLength: 40 }).map((text) => ['v=0', ...text].join('\r\n')),
  },
)

const ours = {
  usernameFragment: 'ours',
  password: 'our-password-our-password',
  fingerprint: 'sha-256 00:11',
  setup: 'active',
  candidates: ['1 1 UDP 1 192.0.2.1 9 typ host'],
}
const all = { maySendAudio: true, maySendVideo: true, mayReceiveAudio: true, mayReceiveVideo: true }

/**
 * Passes offers to the media worker's parser. Each must be answered or refused as an invalid offer, within the time
 * limit.
 */
export function fuzzSdp(plan: FuzzPlan): Promise<void> {
  return fuzz(plan, arbitraryOffer, 10, (group) => {
    for (const sdp of group) {
      const startedAt = performance.now()
      const outcome = answered(sdp)
      const tookMs = performance.now() - startedAt
      expect(tookMs, sdp.slice(0, 2000)).toBeLessThan(LONGEST_MS)
      plan.tally.note(outcome, tookMs)
    }
  })
}

function answered(sdp: string): string {
  try {
    const answerPlan = planAnswer(parseOffer(sdp), all)
    const streams = { ssrc: 1, retransmissionSsrc: 2, cname: 'x' }
    const answer = writeAnswer(answerPlan, {
      sessionId: 1,
      version: 1,
      ice: () => ours,
      streams: () => streams,
    })
    // The answer may contain only lines that the server wrote itself.
    for (const line of answer.split('\r\n').slice(0, -1)) expect(line).toMatch(/^[vostcma]=[^\r\n]*$/)
    return 'answered'
  } catch (error) {
    if (error instanceof SdpError) return 'refused'
    throw error
  }
}
