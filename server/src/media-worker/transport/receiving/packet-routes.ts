import type { VideoCodec } from '../../media-types.ts'
import { AUDIO_LEVEL_URI, type PlannedSection, TRANSPORT_SEQUENCE_URI } from '../sdp/answer-plan.ts'

/** What a payload type stands for. */
export type PacketRoute =
  | { kind: 'audio' }
  | { kind: 'redundant audio' }
  | { kind: 'video'; codec: VideoCodec }
  | { kind: 'retransmission'; codec: VideoCodec }

/** How the packets of one transport are told apart: payload types are unique within it (RFC 8843, section 9.1). */
export interface PacketRoutes {
  /** Indexed by payload type. */
  byPayloadType: (PacketRoute | null)[]
  /** Negotiated ids of header extensions, 0 where there is none. */
  transportSequenceId: number
  audioLevelId: number
}

/** Routes for what we receive in these sections. What a leg may not send has none, and is dropped. */
export function routesOf(sections: readonly PlannedSection[]): PacketRoutes {
  const byPayloadType: (PacketRoute | null)[] = new Array(128).fill(null)
  for (const { direction, codecs } of sections) {
    if (direction !== 'sendrecv' && direction !== 'recvonly') continue
    for (const { name, payloadType, retransmissionPayloadType, redundancyPayloadType } of codecs) {
      byPayloadType[payloadType] = name === 'opus' ? { kind: 'audio' } : { kind: 'video', codec: name }
      if (redundancyPayloadType !== null) byPayloadType[redundancyPayloadType] = { kind: 'redundant audio' }
      if (name !== 'opus' && retransmissionPayloadType !== null) {
        byPayloadType[retransmissionPayloadType] = { kind: 'retransmission', codec: name }
      }
    }
  }
  const idOf = (uri: string) =>
    sections.flatMap((section) => section.extensions).find((extension) => extension.uri === uri)?.id ?? 0
  return {
    byPayloadType,
    transportSequenceId: idOf(TRANSPORT_SEQUENCE_URI),
    audioLevelId: idOf(AUDIO_LEVEL_URI),
  }
}
