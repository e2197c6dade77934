import type { EncodedAudioPacket } from '../../media-types.ts'
import { RTP_FIXED_HEADER_BYTES } from '../rtp/rtp-packet.ts'
import { SendStream } from './send-stream.ts'

const CLOCK_RATE = 48_000
/** Longer than this does not fit into one packet; our encoder makes a tenth of it. */
const MOST_PAYLOAD_BYTES = 1180

/** What one browser hears. */
export class AudioSender {
  readonly stream = new SendStream(CLOCK_RATE)
  readonly #packet = Buffer.alloc(RTP_FIXED_HEADER_BYTES + MOST_PAYLOAD_BYTES)
  #sequence = Math.floor(Math.random() * 0x8000)

  /**
   * Sends 20 ms.
   * @param send takes the whole RTP packet, which is valid only during the call; tells whether it went out
   * @throws {RangeError} where the payload does not fit into a packet
   */
  send({ payload, rtpTimestamp, capturedAtMs }: EncodedAudioPacket, send: (packet: Buffer) => boolean): void {
    if (payload.length > MOST_PAYLOAD_BYTES) throw new RangeError('the audio packet is too large')
    const { stream } = this
    const packet = this.#packet
    const timestamp = (rtpTimestamp + stream.timestampOffset) % 2 ** 32
    packet[0] = 0x80
    packet[1] = stream.payloadType
    packet.writeUInt16BE(this.#sequence, 2)
    packet.writeUInt32BE(timestamp, 4)
    packet.writeUInt32BE(stream.ssrc, 8)
    payload.copy(packet, RTP_FIXED_HEADER_BYTES)
    if (!send(packet.subarray(0, RTP_FIXED_HEADER_BYTES + payload.length))) return
    this.#sequence = (this.#sequence + 1) & 0xffff
    stream.packets++
    stream.octets += payload.length
    stream.onSent(timestamp, capturedAtMs)
  }
}
