/**
 * What a simulated browser offers and how it reads the answer. The lines are those of Chromium that decide what the
 * server sends: codecs, repairs, feedback and header extensions.
 */

import type { Place } from './wire.ts'

export const AUDIO_PAYLOAD_TYPE = 111
const REDUNDANT_AUDIO_PAYLOAD_TYPE = 63
export const VP8_PAYLOAD_TYPE = 96
const VP8_REPEATED_PAYLOAD_TYPE = 97
const H264_PAYLOAD_TYPE = 102
const H264_REPEATED_PAYLOAD_TYPE = 103

/** Ids of the header extensions. */
export const AUDIO_LEVEL_ID = 1
export const SEND_TIME_ID = 2
export const TRANSPORT_SEQUENCE_ID = 3
const MID_ID = 4
const PLAYOUT_DELAY_ID = 5

const TRANSPORT_SEQUENCE_URI = 'http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01'
const SEND_TIME_URI = 'http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time'

const H264_PARAMETERS = 'level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f'

/** What a packet is, by its payload type. */
export type PacketKind = 'audio' | 'video' | 'repeated' | 'other'

/** @param payloadType 7 bits */
export function kindOf(payloadType: number): PacketKind {
  switch (payloadType) {
    case AUDIO_PAYLOAD_TYPE:
    case REDUNDANT_AUDIO_PAYLOAD_TYPE:
      return 'audio'
    case VP8_PAYLOAD_TYPE:
    case H264_PAYLOAD_TYPE:
      return 'video'
    case VP8_REPEATED_PAYLOAD_TYPE:
    case H264_REPEATED_PAYLOAD_TYPE:
      return 'repeated'
    default:
      return 'other'
  }
}

/** The SSRCs that a member sends with. */
export interface Ssrcs {
  audio: number
  video: number
}

const lines = (...all: string[]): string => `${all.join('\r\n')}\r\n`

function lineOf(sdp: string, name: string): string {
  const line = new RegExp(`^a=${name}:.+$`, 'm').exec(sdp)?.[0]
  if (line === undefined) throw new Error(`no a=${name} in ${sdp}`)
  return line.trim()
}

/** The value of the first line `a=name:value`. @throws where there is none */
export const attributeOf = (sdp: string, name: string): string => lineOf(sdp, name).slice(name.length + 3)

/** All IPv4 addresses of a description, as host and port, the first one first. */
export function addressesOf(sdp: string): Place[] {
  return [...sdp.matchAll(/^a=candidate:\S+ 1 udp \d+ (\d+\.\d+\.\d+\.\d+) (\d+) typ host/gim)].map(
    ([, host = '', port]) => ({ host, port: Number(port) }),
  )
}

/**
 * A browser's offer with the transport of a native connection.
 *
 * libdatachannel may fail if connectivity checks arrive before the answer. So the server must wait for the client's
 * checks. It gets one address at which nobody answers, because it takes a browser with no address for one that hides
 * its own.
 * @param native the offer of the native connection
 * @param ssrcs of what it sends; null for somebody who only receives
 */
export function browserOffer(native: string, ssrcs: Ssrcs | null): string {
  const shared = (ssrc: number | undefined) => [
    'c=IN IP4 0.0.0.0',
    'a=candidate:1 1 UDP 1 127.0.0.1 9 typ host',
    lineOf(native, 'ice-ufrag'),
    lineOf(native, 'ice-pwd'),
    lineOf(native, 'fingerprint'),
    'a=setup:actpass',
    `a=${ssrcs ? 'sendrecv' : 'recvonly'}`,
    'a=rtcp-mux',
    `a=extmap:${SEND_TIME_ID} ${SEND_TIME_URI}`,
    `a=extmap:${TRANSPORT_SEQUENCE_ID} ${TRANSPORT_SEQUENCE_URI}`,
    `a=extmap:${MID_ID} urn:ietf:params:rtp-hdrext:sdes:mid`,
    ...(ssrc === undefined ? [] : [`a=ssrc:${ssrc} cname:member`]),
  ]
  const feedback = (payloadType: number) => [
    `a=rtcp-fb:${payloadType} goog-remb`,
    `a=rtcp-fb:${payloadType} transport-cc`,
    `a=rtcp-fb:${payloadType} ccm fir`,
    `a=rtcp-fb:${payloadType} nack`,
    `a=rtcp-fb:${payloadType} nack pli`,
  ]
  return lines(
    'v=0',
    'o=- 1 1 IN IP4 127.0.0.1',
    's=-',
    't=0 0',
    'a=group:BUNDLE 0 1',
    `m=audio 9 UDP/TLS/RTP/SAVPF ${AUDIO_PAYLOAD_TYPE} ${REDUNDANT_AUDIO_PAYLOAD_TYPE}`,
    ...shared(ssrcs?.audio),
    'a=mid:0',
    `a=extmap:${AUDIO_LEVEL_ID} urn:ietf:params:rtp-hdrext:ssrc-audio-level`,
    `a=rtpmap:${AUDIO_PAYLOAD_TYPE} opus/48000/2`,
    `a=rtcp-fb:${AUDIO_PAYLOAD_TYPE} transport-cc`,
    `a=fmtp:${AUDIO_PAYLOAD_TYPE} minptime=10;useinbandfec=1`,
    `a=rtpmap:${REDUNDANT_AUDIO_PAYLOAD_TYPE} red/48000/2`,
    `a=fmtp:${REDUNDANT_AUDIO_PAYLOAD_TYPE} ${AUDIO_PAYLOAD_TYPE}/${AUDIO_PAYLOAD_TYPE}`,
    `m=video 9 UDP/TLS/RTP/SAVPF ${VP8_PAYLOAD_TYPE} ${VP8_REPEATED_PAYLOAD_TYPE} ${H264_PAYLOAD_TYPE} ${H264_REPEATED_PAYLOAD_TYPE}`,
    ...shared(ssrcs?.video),
    'a=mid:1',
    `a=extmap:${PLAYOUT_DELAY_ID} http://www.webrtc.org/experiments/rtp-hdrext/playout-delay`,
    `a=rtpmap:${VP8_PAYLOAD_TYPE} VP8/90000`,
    ...feedback(VP8_PAYLOAD_TYPE),
    `a=rtpmap:${VP8_REPEATED_PAYLOAD_TYPE} rtx/90000`,
    `a=fmtp:${VP8_REPEATED_PAYLOAD_TYPE} apt=${VP8_PAYLOAD_TYPE}`,
    `a=rtpmap:${H264_PAYLOAD_TYPE} H264/90000`,
    ...feedback(H264_PAYLOAD_TYPE),
    `a=fmtp:${H264_PAYLOAD_TYPE} ${H264_PARAMETERS}`,
    `a=rtpmap:${H264_REPEATED_PAYLOAD_TYPE} rtx/90000`,
    `a=fmtp:${H264_REPEATED_PAYLOAD_TYPE} apt=${H264_PAYLOAD_TYPE}`,
  )
}

/**
 * The server's answer or offer for a native connection, which knows one media section with one codec.
 * @param through replaces the server's addresses, if given
 */
export function nativeDescription(sdp: string, through?: Place): string {
  const candidates = through
    ? [`a=candidate:1 1 UDP 2122260223 ${through.host} ${through.port} typ host`]
    : new Set([...sdp.matchAll(/^a=candidate:.+$/gm)].map(([line]) => line.trim()))
  return lines(
    'v=0',
    'o=- 1 1 IN IP4 127.0.0.1',
    's=-',
    't=0 0',
    'a=group:BUNDLE 0',
    `m=video 9 UDP/TLS/RTP/SAVPF ${VP8_PAYLOAD_TYPE}`,
    'c=IN IP4 0.0.0.0',
    'a=mid:0',
    'a=sendrecv',
    'a=rtcp-mux',
    `a=rtpmap:${VP8_PAYLOAD_TYPE} VP8/90000`,
    ...['setup', 'ice-ufrag', 'ice-pwd', 'fingerprint'].map((name) => lineOf(sdp, name)),
    ...candidates,
  )
}

/** The lines of an offer that an answer repeats. */
const REPEATED_LINE = /^a=(mid|rtpmap|fmtp|rtcp-fb|extmap):/

/**
 * A browser's answer to a server that offers to send.
 * @param native the answer of the native connection
 */
export function browserAnswer(native: string, offer: string): string {
  const [, ...sections] = offer.trim().split(/\r?\n(?=m=)/)
  const bundle = /^a=group:BUNDLE.*$/m.exec(offer)?.[0].trim() ?? 'a=group:BUNDLE 0'
  const answered = sections.flatMap((section) => {
    const [media = '', ...rest] = section.split(/\r?\n/)
    return [
      media.replace(/^m=(\w+) \d+/, 'm=$1 9'),
      'c=IN IP4 0.0.0.0',
      lineOf(native, 'ice-ufrag'),
      lineOf(native, 'ice-pwd'),
      lineOf(native, 'fingerprint'),
      lineOf(native, 'setup'),
      'a=recvonly',
      'a=rtcp-mux',
      ...rest.filter((line) => REPEATED_LINE.test(line)),
    ]
  })
  return lines('v=0', 'o=- 1 1 IN IP4 127.0.0.1', 's=-', 't=0 0', bundle, ...answered)
}

/** The id of the header extension with the transport-wide sequence number; 0 if it is not negotiated. */
export function transportSequenceId(description: string): number {
  const line = description.split(/\r?\n/).find((each) => each.endsWith(TRANSPORT_SEQUENCE_URI))
  return Number(/^a=extmap:(\d+)/.exec(line ?? '')?.[1] ?? 0)
}

/** Which estimate of the bandwidth the server wants from this side, by what it says of the picture. */
export function feedbackWanted(description: string): 'transport' | 'estimate' | 'none' {
  const video = description.slice(description.search(/^m=video/m))
  if (/^a=rtcp-fb:\d+ transport-cc/m.test(video)) return 'transport'
  return /^a=rtcp-fb:\d+ goog-remb/m.test(video) ? 'estimate' : 'none'
}
