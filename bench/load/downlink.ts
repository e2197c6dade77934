import { TransportFeedback } from '../../server/src/media-worker/transport/receiving/transport-feedback.ts'
import { type RtcpHandler, readRtcp } from '../../server/src/media-worker/transport/rtp/rtcp-reader.ts'
import {
  type OutgoingReportBlock,
  writeEstimatedBitrate,
  writeNack,
} from '../../server/src/media-worker/transport/rtp/rtcp-writer.ts'
import { isRtcp, RtpPacketView } from '../../server/src/media-worker/transport/rtp/rtp-packet.ts'
import { Player } from './player.ts'
import { ReceivedStream } from './received-stream.ts'
import { feedbackWanted, kindOf, transportSequenceId } from './sdp.ts'

/** What a browser with a fast line tells where the server wants its estimate. */
const FAST_LINE_BPS = 20_000_000

/** What one participant has seen and heard. Counts are since the start. */
export interface Seen {
  /** Pictures of which every packet came in its turn. */
  pictures: number
  picturePackets: number
  soundPackets: number
  /** Packets of the picture that came once more. */
  repeatedPackets: number
  /** Packets of both that did not come in their turn. */
  lost: number
  /** Of the sound since the last `restartSound`. */
  soundMs: number
  missingSoundMs: number
  /** When the join began, in Unix milliseconds; and from then to the first whole picture, null before. */
  startedAtUnixMs: number
  firstPictureMs: number | null
}

/**
 * What arrives from the server, and what a browser sends back because of it: reports, requests for lost packets, and
 * transport-wide feedback or an estimate. It reads headers only, which SRTP leaves in the clear.
 */
export class Downlink {
  /** Called for each packet of a picture that came once more. */
  onRepeated: ((nowMs: number) => void) | null = null
  /** Asks once more for one packet of so many, though it has come; 0 for none. */
  askAgainEvery = 0
  readonly video = new ReceivedStream()
  readonly #audio = new ReceivedStream()
  readonly #player = new Player()
  readonly #feedback = new TransportFeedback()
  readonly #packet = new RtpPacketView()
  readonly #ssrc: number
  readonly #startedAtMs = performance.now()
  readonly #rtcp: RtcpHandler
  #wants: ReturnType<typeof feedbackWanted> = 'none'
  #sequenceId = 0
  #repeated = 0
  #pictures = 0
  #firstPictureMs: number | null = null
  #isBroken = false

  /**
   * @param ssrc of what this side sends
   * @param onKeyframeRequest the server misses a picture of this side's camera
   */
  constructor(ssrc: number, onKeyframeRequest: () => void = () => {}) {
    this.#ssrc = ssrc
    this.#rtcp = {
      onSenderReport: (of, ntpMs) => {
        const stream = [this.video, this.#audio].find((each) => each.ssrc === of)
        stream?.onSenderReport(ntpMs, performance.now())
      },
      onReportBlock: () => {},
      onNack: () => {},
      onKeyframeRequest,
      onEstimatedBitrate: () => {},
      onArrivals: () => {},
      onBye: () => {},
    }
  }

  /** @param description of the server: its answer, or its offer */
  negotiated(description: string): void {
    this.#sequenceId = transportSequenceId(description)
    this.#wants = feedbackWanted(description)
  }

  /** Takes an RTP packet, whose payload may be encrypted, or a decrypted RTCP packet. */
  onPacket(bytes: Buffer): void {
    if (isRtcp(bytes)) readRtcp(bytes, this.#rtcp)
    else if (this.#packet.read(bytes)) this.#onMedia(performance.now())
  }

  #onMedia(nowMs: number): void {
    const packet = this.#packet
    if (this.#wants === 'transport') {
      const at = packet.extension(this.#sequenceId)
      if (at >= 0) this.#feedback.onPacket(packet.buffer.readUInt16BE(at), nowMs)
    }
    const kind = kindOf(packet.payloadType)
    if (kind === 'video') this.#onPicture(nowMs)
    else if (kind === 'repeated') {
      this.#repeated++
      this.onRepeated?.(nowMs)
    } else if (kind === 'audio') {
      this.#audio.onPacket(packet.ssrc, packet.sequence)
      this.#player.onPacket(packet.timestamp, nowMs)
    }
  }

  #onPicture(nowMs: number): void {
    const { ssrc, sequence, marker } = this.#packet
    if (this.video.onPacket(ssrc, sequence)) this.#isBroken = true
    if (this.askAgainEvery > 0 && sequence % this.askAgainEvery === 0) this.video.wanted.push(sequence)
    // The marker is on the last packet of a picture.
    if (!marker) return
    if (!this.#isBroken) {
      this.#pictures++
      this.#firstPictureMs ??= nowMs - this.#startedAtMs
    }
    this.#isBroken = false
  }

  restartSound(): void {
    this.#player.restart()
  }

  get seen(): Seen {
    return {
      pictures: this.#pictures,
      picturePackets: this.video.packets,
      soundPackets: this.#audio.packets,
      repeatedPackets: this.#repeated,
      lost: this.video.lost + this.#audio.lost,
      soundMs: this.#player.expectedMs,
      missingSoundMs: this.#player.missingMs,
      startedAtUnixMs: performance.timeOrigin + this.#startedAtMs,
      firstPictureMs: this.#firstPictureMs,
    }
  }

  /** What is due at once: requests for lost packets and transport-wide feedback. Called some 16 times a second. */
  sendFeedback(send: (packet: Buffer) => void): void {
    const { wanted, ssrc } = this.video
    if (wanted.length > 0) send(writeNack(this.#ssrc, ssrc, wanted.splice(0)))
    for (let next = this.#take(); next; next = this.#take()) send(next)
  }

  #take(): Buffer | null {
    return this.#wants === 'transport' ? this.#feedback.take(this.#ssrc, this.video.ssrc) : null
  }

  /** What reports tell of the picture, and of the sound. Called every second. */
  blocks(nowMs: number, withSound = true): OutgoingReportBlock[] {
    return (withSound ? [this.#audio, this.video] : [this.video])
      .filter(({ highest }) => highest >= 0)
      .map((stream) => stream.block(nowMs))
  }

  /** The estimate of the bandwidth, where the server wants it. Called every second. */
  sendEstimate(send: (packet: Buffer) => void): void {
    if (this.#wants === 'estimate' && this.video.highest >= 0)
      send(writeEstimatedBitrate(this.#ssrc, FAST_LINE_BPS, [this.video.ssrc]))
  }
}
