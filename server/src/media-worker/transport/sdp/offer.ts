import { isIP } from 'node:net'
import { SdpError } from './sdp-error.ts'

export type Direction = 'sendrecv' | 'sendonly' | 'recvonly' | 'inactive'

/** A codec of a media section, from its `rtpmap`, `fmtp` and `rtcp-fb` lines. */
export interface OfferedCodec {
  payloadType: number
  /** As written, like `VP8` or `rtx`. */
  name: string
  clockRate: number
  /** The `fmtp` line's value, or empty. */
  parameters: string
  /** Values of its `rtcp-fb` lines, like `nack pli`. */
  feedback: string[]
}

/** What the other side's ICE and DTLS need. */
export interface IceDescription {
  usernameFragment: string
  password: string
  /** Algorithm and digest, as in the `fingerprint` line. */
  fingerprint: string
  setup: string
  /** Values of usable `candidate` lines: UDP, numeric addresses, first component. */
  candidates: string[]
}

/** What the browser's ICE and DTLS need. */
export interface OfferedIce extends IceDescription {
  /** Whether the browser hides addresses of its own behind `.local` names, or offers none at all. */
  hidden: boolean
  /** Whether the browser reached TURN servers over TCP or TLS alone, so that its network probably carries no UDP. */
  relayedOverTcp: boolean
}

/** One media section of an offer. */
export interface OfferedSection {
  kind: string
  mid: string
  protocol: string
  /** The first format of the media line, for a section that is refused. */
  firstFormat: string
  /** Port 0 without `bundle-only`: refused by the offerer. */
  disabled: boolean
  bundleOnly: boolean
  direction: Direction
  reducedSizeRtcp: boolean
  codecs: OfferedCodec[]
  /** Header extensions that go both ways. */
  extensions: { id: number; uri: string }[]
  ice: OfferedIce
}

export interface Offer {
  sections: OfferedSection[]
  /** Mids that share one transport, in the offer's order; empty where nothing is bundled. */
  bundle: string[]
  fromFirefox: boolean
}

/** Limits several times what browsers offer (some 10 kB in 250 lines); each loop below is bounded by one of them. */
const LONGEST_OFFER = 64 * 1024
const MOST_LINES = 2000
const LONGEST_LINE = 4096
const MOST_SECTIONS = 16
const MOST_CANDIDATES = 16
const MOST_FEEDBACK = 16

/**
 * Reads an SDP offer (RFC 8866, as RFC 8829 uses it).
 * @throws {SdpError} naming what is missing or wrong
 */
export function parseOffer(sdp: string): Offer {
  if (sdp.length > LONGEST_OFFER) throw new SdpError('the offer is too long')
  const lines = sdp.split(/\r\n|\r|\n/, MOST_LINES + 1)
  if (lines.length > MOST_LINES) throw new SdpError('the offer has too many lines')
  if (lines.some((line) => line.length > LONGEST_LINE)) throw new SdpError('a line of the offer is too long')
  if (lines[0] !== 'v=0') throw new SdpError('the offer is no session description')
  const starts = lines.flatMap((line, index) => (line.startsWith('m=') ? [index] : []))
  if (starts.length === 0) throw new SdpError('the offer has no media')
  if (starts.length > MOST_SECTIONS) throw new SdpError('the offer has too many media sections')
  const session = new Attributes(lines.slice(0, starts[0]))
  const sections = starts.map((start, index) =>
    parseSection(lines[start]!, new Attributes(lines.slice(start + 1, starts[index + 1])), session),
  )
  const mids = sections.map((section) => section.mid)
  if (new Set(mids).size !== mids.length) throw new SdpError('two media sections have the same mid')
  return {
    sections,
    bundle: bundleOf(session, mids),
    fromFirefox: lines.some((line) => line.startsWith('o=mozilla')),
  }
}

function bundleOf(session: Attributes, mids: string[]): string[] {
  const group = session.all('group').find((value) => value.startsWith('BUNDLE '))
  const bundled = group?.split(' ').slice(1) ?? []
  return bundled.filter((mid) => mids.includes(mid))
}

/** The `a=` lines of one section, by name, so that asking for one takes the same time however many there are. */
class Attributes {
  readonly #values = new Map<string, string[]>()

  constructor(lines: string[]) {
    for (const line of lines) {
      if (!line.startsWith('a=')) continue
      const colon = line.indexOf(':')
      const name = colon < 0 ? line.slice(2).trim() : line.slice(2, colon)
      const values = this.#values.get(name)
      const value = colon < 0 ? '' : line.slice(colon + 1).trim()
      if (values) values.push(value)
      else this.#values.set(name, [value])
    }
  }

  all(name: string): readonly string[] {
    return this.#values.get(name) ?? []
  }

  first(name: string): string | undefined {
    return this.#values.get(name)?.[0]
  }

  has(name: string): boolean {
    return this.#values.has(name)
  }
}

function parseSection(mediaLine: string, own: Attributes, session: Attributes): OfferedSection {
  const media = /^m=([a-z]{1,20}) (\d{1,5})(?:\/\d+)? (\S+) (\S+)/.exec(mediaLine)
  if (!media) throw new SdpError('a media line cannot be understood')
  const [, kind = '', port, protocol = '', firstFormat = ''] = media
  const mid = own.first('mid')
  if (!mid || !/^[\w.+-]{1,64}$/.test(mid)) throw new SdpError('a media section has no mid')
  const bundleOnly = own.has('bundle-only')
  return {
    kind,
    mid,
    protocol,
    firstFormat,
    disabled: port === '0' && !bundleOnly,
    bundleOnly,
    direction: directionOf(own),
    reducedSizeRtcp: own.has('rtcp-rsize'),
    codecs: codecsOf(own),
    extensions: extensionsOf(own),
    ice: iceOf(own, session),
  }
}

/** Only the section's own: Firefox always says `sendrecv` at session level and means nothing by it. */
function directionOf(own: Attributes): Direction {
  for (const direction of ['sendrecv', 'sendonly', 'recvonly', 'inactive'] as const) {
    if (own.has(direction)) return direction
  }
  return 'sendrecv'
}

/** The first codec of each payload type: there are no more than 128. */
function codecsOf(own: Attributes): OfferedCodec[] {
  const parameters = byFormat(own.all('fmtp'))
  const feedback = byFormat(own.all('rtcp-fb'))
  const codecs = new Map<number, OfferedCodec>()
  for (const value of own.all('rtpmap')) {
    const map = /^(\d{1,3}) ([\w.-]+)\/(\d+)/.exec(value)
    const payloadType = Number(map?.[1])
    if (!map || payloadType > 127 || codecs.has(payloadType)) continue
    const format = String(payloadType)
    codecs.set(payloadType, {
      payloadType,
      name: map[2]!,
      clockRate: Number(map[3]),
      parameters: parameters.get(format)?.[0] ?? '',
      feedback: [...(feedback.get(format) ?? []), ...(feedback.get('*') ?? [])].slice(0, MOST_FEEDBACK),
    })
  }
  return [...codecs.values()]
}

/** The rest of values like `96 nack pli`, by what they begin with. */
function byFormat(values: readonly string[]): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const value of values) {
    const space = value.indexOf(' ')
    if (space < 0) continue
    const format = value.slice(0, space)
    const rest = value.slice(space + 1).trim()
    const known = found.get(format)
    if (!known) found.set(format, [rest])
    else if (known.length < MOST_FEEDBACK) known.push(rest)
  }
  return found
}

function extensionsOf(own: Attributes): { id: number; uri: string }[] {
  return own.all('extmap').flatMap((value) => {
    const map = /^(\d{1,3}) (\S+)/.exec(value)
    const id = Number(map?.[1])
    // One-byte headers have ids 1 to 14 (RFC 8285, section 4.2).
    return map && id >= 1 && id <= 14 ? { id, uri: map[2]! } : []
  })
}

function iceOf(own: Attributes, session: Attributes): OfferedIce {
  const token = (name: string) => {
    const value = own.first(name) ?? session.first(name) ?? ''
    return /^[\x21-\x7e]{1,256}$/.test(value) ? value : ''
  }
  const fingerprint = own.first('fingerprint') ?? session.first('fingerprint') ?? ''
  const offered = own.all('candidate')
  const candidates = offered.filter(isUsable).slice(0, MOST_CANDIDATES)
  return {
    usernameFragment: token('ice-ufrag'),
    password: token('ice-pwd'),
    fingerprint: /^[\w-]{1,20} [0-9A-Fa-f]{2}(:[0-9A-Fa-f]{2}){1,63}$/.test(fingerprint) ? fingerprint : '',
    setup: token('setup'),
    candidates,
    hidden: candidates.length === 0 || offered.some(isHidden),
    relayedOverTcp: isRelayedOverTcp(candidates),
  }
}

/**
 * Names are never resolved: `.local` ones mean nothing here, and others would make this server ask for names of a
 * stranger's choice. Such browsers are found by their own connectivity checks.
 */
function isUsable(candidate: string): boolean {
  const [, component, transport, , address, port, typ] = candidate.split(' ')
  return (
    component === '1' &&
    transport?.toLowerCase() === 'udp' &&
    isIP(address ?? '') !== 0 &&
    Number(port) >= 1 &&
    Number(port) <= 65_535 &&
    typ === 'typ' &&
    candidate.length < 256 &&
    /^[\x20-\x7e]+$/.test(candidate)
  )
}

/** A name that means something to the browser's own network only (mDNS). */
function isHidden(candidate: string): boolean {
  return candidate.split(' ')[4]?.endsWith('.local') ?? false
}

/**
 * Type preference (RFC 8445, section 5.1.2.1) that Chromium gives to what a TURN server relays which it reaches over UDP. It
 * gives less to those over TCP and TLS.
 */
const RELAYED_OVER_UDP = 2

function isRelayedOverTcp(candidates: readonly string[]): boolean {
  const relayed = candidates.map((candidate) => candidate.split(' ')).filter((parts) => parts[7] === 'relay')
  return relayed.length > 0 && relayed.every((parts) => Number(parts[3]) >>> 24 < RELAYED_OVER_UDP)
}
