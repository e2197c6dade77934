import type { AnswerPlan, PlannedSection } from './answer-plan.ts'
import type { IceDescription } from './offer.ts'

/** The streams that we send in one section. */
export interface AnswerStreams {
  ssrc: number
  /** SSRC of retransmissions, where the section has them. */
  retransmissionSsrc?: number
  cname: string
}

/** All that an answer says beside the plan. */
export interface AnswerParts {
  sessionId: number
  /** Grows with each answer of the session. */
  version: number
  /** Our side of the transport that carries this section. */
  ice(section: PlannedSection): IceDescription
  streams(section: PlannedSection): AnswerStreams
}

/**
 * Writes the answer: audio first whatever the order of the offer, since the browser client swaps the sections of the
 * answer where video was offered first. Lines end in CRLF, with exactly one at the end.
 */
export function writeAnswer(plan: AnswerPlan, parts: AnswerParts): string {
  const ordered = [...plan.sections].sort((a, b) => rank(a) - rank(b))
  const bundles = plan.transports.filter((group) => group.bundled)
  const lines = [
    'v=0',
    `o=- ${parts.sessionId} ${parts.version} IN IP4 127.0.0.1`,
    's=-',
    't=0 0',
    ...bundles.map(
      (group) => `a=group:BUNDLE ${group.sections.map((section) => section.offered.mid).join(' ')}`,
    ),
    'a=msid-semantic: WMS *',
    ...ordered.flatMap((section) => (section.accepted ? sectionLines(section, parts) : refusal(section))),
  ]
  return `${lines.join('\r\n')}\r\n`
}

function rank(section: PlannedSection): number {
  return section.offered.kind === 'audio' ? 0 : 1
}

function refusal({ offered }: PlannedSection): string[] {
  return [
    `m=${offered.kind} 0 ${offered.protocol} ${offered.firstFormat}`,
    'c=IN IP4 0.0.0.0',
    `a=mid:${offered.mid}`,
    'a=inactive',
  ]
}

function sectionLines(section: PlannedSection, parts: AnswerParts): string[] {
  const { offered, codecs, direction, extensions } = section
  const formats = codecs.flatMap((codec) =>
    [codec.payloadType, codec.retransmissionPayloadType, codec.redundancyPayloadType].filter(
      (format) => format !== null,
    ),
  )
  return [
    `m=${offered.kind} 9 ${offered.protocol} ${formats.join(' ')}`,
    'c=IN IP4 0.0.0.0',
    'a=rtcp:9 IN IP4 0.0.0.0',
    ...transportLines(parts.ice(section)),
    `a=mid:${offered.mid}`,
    ...extensions.map(({ id, uri }) => `a=extmap:${id} ${uri}`),
    `a=${direction}`,
    'a=rtcp-mux',
    ...(offered.reducedSizeRtcp ? ['a=rtcp-rsize'] : []),
    ...codecs.flatMap(codecLines),
    ...(offered.kind === 'audio' ? ['a=ptime:20', 'a=maxptime:20'] : []),
    ...(section.sentCodec ? streamLines(section, parts.streams(section)) : []),
  ]
}

function transportLines(ice: IceDescription): string[] {
  return [
    ...ice.candidates.map((candidate) => `a=candidate:${candidate}`),
    'a=end-of-candidates',
    `a=ice-ufrag:${ice.usernameFragment}`,
    `a=ice-pwd:${ice.password}`,
    `a=fingerprint:${ice.fingerprint}`,
    `a=setup:${ice.setup}`,
  ]
}

function codecLines({
  payloadType,
  name,
  parameters,
  feedback,
  ...codec
}: PlannedSection['codecs'][number]): string[] {
  const clock = name === 'opus' ? '48000/2' : '90000'
  const { retransmissionPayloadType: retransmission, redundancyPayloadType: redundancy } = codec
  return [
    `a=rtpmap:${payloadType} ${name}/${clock}`,
    ...feedback.map((value) => `a=rtcp-fb:${payloadType} ${value}`),
    ...(parameters ? [`a=fmtp:${payloadType} ${parameters}`] : []),
    ...(retransmission === null
      ? []
      : [`a=rtpmap:${retransmission} rtx/90000`, `a=fmtp:${retransmission} apt=${payloadType}`]),
    ...(redundancy === null
      ? []
      : [`a=rtpmap:${redundancy} red/${clock}`, `a=fmtp:${redundancy} ${payloadType}/${payloadType}`]),
  ]
}

/** One stream identifier for both kinds, so that the browser keeps sound and picture together. */
function streamLines(section: PlannedSection, { ssrc, retransmissionSsrc, cname }: AnswerStreams): string[] {
  const repeats = retransmissionSsrc !== undefined && section.sentCodec?.retransmissionPayloadType != null
  return [
    `a=msid:${cname} ${section.offered.kind}`,
    ...(repeats ? [`a=ssrc-group:FID ${ssrc} ${retransmissionSsrc}`] : []),
    `a=ssrc:${ssrc} cname:${cname}`,
    ...(repeats ? [`a=ssrc:${retransmissionSsrc} cname:${cname}`] : []),
  ]
}
