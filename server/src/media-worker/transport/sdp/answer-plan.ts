import type { VideoCodec } from '../../media-types.ts'
import type { MediaPermissions } from '../rtc-settings.ts'
import type { Direction, Offer, OfferedCodec, OfferedSection } from './offer.ts'
import { SdpError } from './sdp-error.ts'

export const TRANSPORT_SEQUENCE_URI =
  'http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01'
export const SEND_TIME_URI = 'http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time'
export const PLAYOUT_DELAY_URI = 'http://www.webrtc.org/experiments/rtp-hdrext/playout-delay'
export const AUDIO_LEVEL_URI = 'urn:ietf:params:rtp-hdrext:ssrc-audio-level'
export const MID_URI = 'urn:ietf:params:rtp-hdrext:sdes:mid'

const AUDIO_EXTENSIONS = [MID_URI, AUDIO_LEVEL_URI, TRANSPORT_SEQUENCE_URI]
const VIDEO_EXTENSIONS = [MID_URI, SEND_TIME_URI, TRANSPORT_SEQUENCE_URI, PLAYOUT_DELAY_URI]
const VIDEO_FEEDBACK = ['goog-remb', 'transport-cc', 'ccm fir', 'nack', 'nack pli']

/** A codec as it is answered. */
export interface AcceptedCodec {
  payloadType: number
  name: 'opus' | VideoCodec
  /** Value of its `fmtp` line, or empty. */
  parameters: string
  feedback: string[]
  /** Payload type of its retransmissions, or null. */
  retransmissionPayloadType: number | null
  /** Payload type under which its packets carry earlier ones once more (RFC 2198), or null. */
  redundancyPayloadType: number | null
}

/** One section of the answer to be. */
export interface PlannedSection {
  offered: OfferedSection
  accepted: boolean
  /** Ours: the mirror of the browser's, less what is not allowed. */
  direction: Direction
  /** The first one is what the browser sends. */
  codecs: AcceptedCodec[]
  /** What we send; null where we send nothing. */
  sentCodec: AcceptedCodec | null
  extensions: { id: number; uri: string }[]
}

export interface AnswerPlan {
  /** In the offer's order. */
  sections: PlannedSection[]
  audio: PlannedSection | null
  video: PlannedSection | null
  transports: TransportGroup[]
}

/** Sections that share one ICE and DTLS transport; the first one carries the description of the browser's side. */
export interface TransportGroup {
  /** Stays the same when the sections are negotiated again. */
  key: string
  bundled: boolean
  sections: PlannedSection[]
}

/**
 * Decides what to answer: which sections, codecs, directions and extensions, and which sections share a transport.
 * @param bundle whether sections that are offered as bundled may share a transport
 * @throws {SdpError} where nothing of the offer can be accepted, or what is accepted cannot be connected to
 */
export function planAnswer(
  offer: Offer,
  may: MediaPermissions,
  preferredVideo: VideoCodec = 'H264',
  bundle = true,
): AnswerPlan {
  const taken = new Set<string>()
  const sections = offer.sections.map((offered) => {
    const section = planSection(offered, may, preferredVideo, taken.has(offered.kind))
    if (section.accepted) taken.add(offered.kind)
    return section
  })
  const accepted = sections.filter((section) => section.accepted)
  if (accepted.length === 0) throw new SdpError('the offer has no audio or video that can be accepted')
  const transports = transportsOf(accepted, offer, bundle)
  for (const group of transports) checkIce(group.sections[0]!.offered)
  return {
    sections,
    audio: accepted.find((section) => section.offered.kind === 'audio') ?? null,
    video: accepted.find((section) => section.offered.kind === 'video') ?? null,
    transports,
  }
}

function planSection(
  offered: OfferedSection,
  may: MediaPermissions,
  preferredVideo: VideoCodec,
  kindTaken: boolean,
): PlannedSection {
  const isAudio = offered.kind === 'audio'
  const codecs = isAudio ? acceptAudio(offered) : acceptVideo(offered)
  const known = isAudio || offered.kind === 'video'
  const accepted =
    known && !kindTaken && !offered.disabled && codecs.length > 0 && /\bSAVPF$/.test(offered.protocol)
  const direction = accepted
    ? directionOf(
        offered.direction,
        isAudio ? may.mayReceiveAudio : may.mayReceiveVideo,
        isAudio ? may.maySendAudio : may.maySendVideo,
      )
    : 'inactive'
  const sends = direction === 'sendrecv' || direction === 'sendonly'
  const preferred = codecs.find((codec) => codec.name === preferredVideo) ?? codecs[0] ?? null
  return {
    offered,
    accepted,
    direction,
    codecs,
    sentCodec: accepted && sends ? preferred : null,
    extensions: acceptExtensions(offered, isAudio ? AUDIO_EXTENSIONS : VIDEO_EXTENSIONS),
  }
}

function directionOf(offered: Direction, maySend: boolean, mayReceive: boolean): Direction {
  const send = maySend && (offered === 'sendrecv' || offered === 'recvonly')
  const receive = mayReceive && (offered === 'sendrecv' || offered === 'sendonly')
  if (send) return receive ? 'sendrecv' : 'sendonly'
  return receive ? 'recvonly' : 'inactive'
}

/** The first offered id of each extension. */
function acceptExtensions(offered: OfferedSection, uris: string[]): { id: number; uri: string }[] {
  return uris.flatMap((uri) => offered.extensions.find((extension) => extension.uri === uri) ?? [])
}

function acceptAudio(offered: OfferedSection): AcceptedCodec[] {
  const opus = offered.codecs.find((codec) => /^opus$/i.test(codec.name) && codec.clockRate === 48_000)
  if (!opus) return []
  const { payloadType } = opus
  const redundancy = offered.codecs.find(
    ({ name, clockRate, parameters }) =>
      /^red$/i.test(name) && clockRate === 48_000 && parameters.startsWith(`${payloadType}/${payloadType}`),
  )
  const feedback = opus.feedback.filter((value) => value === 'transport-cc')
  return [
    {
      payloadType,
      name: 'opus',
      // The redundancy inside Opus repairs single losses without a round trip; one channel is what the mixer takes.
      parameters: 'minptime=10;useinbandfec=1;stereo=0;sprop-stereo=0',
      // Browsers repeat audio packets when asked, though they do not offer to.
      feedback: ['nack', ...feedback],
      retransmissionPayloadType: null,
      redundancyPayloadType: redundancy?.payloadType ?? null,
    },
  ]
}

/**
 * VP8 first, for it is what the browser then sends and cheaper to decode; H264 after it, for sending. Both are accepted
 * on one media line: a browser takes every codec of the answer.
 */
function acceptVideo(offered: OfferedSection): AcceptedCodec[] {
  const vp8 = offered.codecs.find((codec) => /^vp8$/i.test(codec.name) && codec.clockRate === 90_000)
  const h264 = bestH264(offered.codecs)
  return [
    ...(vp8 ? [acceptVideoCodec(vp8, 'VP8', offered)] : []),
    ...(h264 ? [acceptVideoCodec(h264, 'H264', offered)] : []),
  ]
}

/** Constrained baseline before baseline; only packetization-mode 1 (RFC 6184, section 8.1). */
function bestH264(codecs: OfferedCodec[]): OfferedCodec | undefined {
  const usable = codecs.filter(
    (codec) =>
      /^h264$/i.test(codec.name) &&
      codec.clockRate === 90_000 &&
      /\bpacketization-mode=1\b/.test(codec.parameters),
  )
  return (
    usable.find((codec) => /\bprofile-level-id=42[ef]0/i.test(codec.parameters)) ??
    usable.find((codec) => /\bprofile-level-id=42[0-9a-f]0/i.test(codec.parameters))
  )
}

function acceptVideoCodec(codec: OfferedCodec, name: VideoCodec, offered: OfferedSection): AcceptedCodec {
  const retransmission = offered.codecs.find(
    (other) => /^rtx$/i.test(other.name) && other.parameters === `apt=${codec.payloadType}`,
  )
  // Without the first Chromium begins at 300 kbit/s and takes about eight seconds to a picture worth looking at. Without the
  // second it takes jitter for congestion and goes down to 30 kbit/s, where it leaves out pictures.
  const bitrates = 'x-google-start-bitrate=1500;x-google-min-bitrate=150'
  return {
    payloadType: codec.payloadType,
    name,
    parameters: codec.parameters ? `${codec.parameters};${bitrates}` : bitrates,
    feedback: codec.feedback.filter((value) => VIDEO_FEEDBACK.includes(value)),
    retransmissionPayloadType: retransmission?.payloadType ?? null,
    redundancyPayloadType: null,
  }
}

function transportsOf(accepted: PlannedSection[], offer: Offer, bundle: boolean): TransportGroup[] {
  const offered = accepted.filter((section) => offer.bundle.includes(section.offered.mid))
  // A section that is offered only as part of a bundle has no transport of its own.
  const shared = bundle || offered.some((section) => section.offered.bundleOnly) ? offered : []
  const alone = accepted
    .filter((section) => !shared.includes(section))
    .map((section) => ({ key: section.offered.mid, bundled: false, sections: [section] }))
  if (shared.length === 0) return alone
  const first = shared.find((section) => !section.offered.bundleOnly) ?? shared[0]!
  const sections = [first, ...shared.filter((section) => section !== first)]
  return [{ key: 'bundle', bundled: true, sections }, ...alone]
}

function checkIce({ mid, ice }: OfferedSection): void {
  if (!ice.usernameFragment || !ice.password) throw new SdpError(`section ${mid} has no ICE credentials`)
  if (!ice.fingerprint) throw new SdpError(`section ${mid} has no certificate fingerprint`)
}
