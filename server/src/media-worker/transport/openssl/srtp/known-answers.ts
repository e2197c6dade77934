import { Memory } from '../memory.ts'
import { type DirectionKeys, deriveKeys, type ProfileNumber } from './session-keys.ts'
import { openSrtpSession } from './srtp-session.ts'

/** A packet that was published together with what protection makes of it. */
interface KnownAnswer {
  profile: ProfileNumber
  keys: DirectionKeys
  kind: 'rtp' | 'rtcp'
  plain: Buffer
  sealed: Buffer
}

const hex = (text: string) => Buffer.from(text.replaceAll(/\s/g, ''), 'hex')
const none = Buffer.alloc(0)

const AEAD_KEYS = {
  key: hex('000102030405060708090a0b0c0d0e0f'),
  salt: Buffer.from('Quid pro quo'),
  authentication: none,
}

/** RTP and RTCP of each profile, for the probe at start and for tests. */
export const KNOWN_ANSWERS: readonly KnownAnswer[] = [
  {
    // RFC 7714, section 16.1.1.
    profile: 7,
    keys: { rtp: AEAD_KEYS, rtcp: AEAD_KEYS },
    kind: 'rtp',
    plain: hex(`8040f17b 8041f8d3 5501a0b2 47616c6c 69612065 7374206f 6d6e6973 20646976 69736120 696e2070
      61727465 73207472 6573`),
    sealed: hex(`8040f17b 8041f8d3 5501a0b2 f24de3a3 fb34de6c acba861c 9d7e4bca be633bd5 0d294e6f 42a5f47a
      51c7d19b 36de3adf 8833899d 7f27beb1 6a9152cf 765ee439 0cce`),
  },
  {
    // RFC 7714, section 17.1.
    profile: 7,
    keys: { rtp: AEAD_KEYS, rtcp: AEAD_KEYS },
    kind: 'rtcp',
    plain: hex(`81c8000d 4d617273 4e545031 4e545032 52545020 0000042a 0000e930 4c756e61 deadbeef deadbeef
      deadbeef deadbeef deadbeef`),
    sealed: hex(`81c8000d 4d617273 63e94885 dcdab67c a727d766 2f6b7e99 7ff5c0f7 6c06f32d c676a5f1 730d6fda
      4ce09b46 86303ded 0bb9275b c84aa458 96cf4d2f c5abf872 45d9eade 800005d4`),
  },
  {
    // The master key and salt of RFC 3711, appendix B.3; packets as libsrtp's own tests have them.
    profile: 1,
    keys: deriveKeys(1, hex('e1f97a0d3e018be0d64fa32c06de4139'), hex('0ec675ad498afeebb6960b3aabe6')),
    kind: 'rtp',
    plain: hex('800f1234 decafbad cafebabe abababab abababab abababab abababab'),
    sealed: hex(`800f1234 decafbad cafebabe 4e55dc4c e79978d8 8ca4d215 949d2402 b78d6acc 99ea179b 8dbb`),
  },
  {
    profile: 1,
    keys: deriveKeys(1, hex('e1f97a0d3e018be0d64fa32c06de4139'), hex('0ec675ad498afeebb6960b3aabe6')),
    kind: 'rtcp',
    plain: hex('81c8000b cafebabe abababab abababab abababab abababab'),
    sealed: hex(`81c8000b cafebabe 7128035b e487b9bd bef89041 f977a5a8 80000001 993e08cd 54d6c123 0798`),
  },
]

/** @returns whether protecting and unprotecting a known packet gives what was published */
export function isAnswerRight({ profile, keys, kind, plain, sealed }: KnownAnswer): boolean {
  const { sender, receiver } = openSrtpSession(profile, { sent: keys, received: keys })
  try {
    const memory = new Memory(sealed.length)
    sealed.copy(memory.bytes)
    const opened =
      kind === 'rtp'
        ? receiver.unprotect(memory, 0, sealed.length)
        : receiver.unprotectRtcp(memory, 0, sealed.length)
    if (opened !== plain.length || !memory.bytes.subarray(0, opened).equals(plain)) return false
    if (kind === 'rtcp') sender.nextRtcpIndex = indexOf(profile, sealed)
    const length =
      kind === 'rtp' ? sender.protect(memory, 0, plain.length) : sender.protectRtcp(memory, 0, plain.length)
    return length === sealed.length && memory.bytes.equals(sealed)
  } finally {
    sender.close()
    receiver.close()
  }
}

function indexOf(profile: ProfileNumber, sealed: Buffer): number {
  return sealed.readUInt32BE(sealed.length - (profile === 7 ? 4 : 14)) & 0x7fffffff
}
