import { type Guard, unguarded } from '../../containment.ts'
import { codecOf, type EncodedVideoFrame, type VideoEncoding } from '../media-types.ts'
import { packetizeH264 } from './rtp/h264.ts'
import { packetizeVp8 } from './rtp/vp8.ts'
import { type HistorySlot, MOST_VIDEO_PAYLOAD_BYTES, PacketHistory } from './sending/packet-history.ts'
import { absoluteSendTime, prepareVideoHeader, VIDEO_HEADER_BYTES } from './sending/video-header.ts'
import type { VideoSender } from './sending/video-sender.ts'
import type { VideoSource } from './sending/video-source.ts'
import type { WebRtcTransport } from './webrtc-transport.ts'

/** How long packets are sent before the event loop gets its turn: a keyframe to hundreds of browsers takes far longer. */
const SLICE_MS = 3

/** A leg that is new begins with a keyframe up to so old. What came since then is sent to it at once. */
const RECENT_MS = 500

export interface VideoFanOutOptions {
  /** A leg joins or has lost the picture. May be called in bursts; the room merges them. */
  onKeyframeNeeded: () => void
  /** Contains faults outside of `publish`. Without it they are the caller's. */
  guard?: Guard
}

/** One encoded stream to many legs: packets are made once, and only their headers differ from leg to leg. */
export class VideoFanOut {
  readonly encoding: VideoEncoding
  /** Created with the first leg: few rooms have legs of both codecs. */
  #history: PacketHistory | null = null
  readonly #senders: VideoSender[] = []
  readonly #source: VideoSource
  readonly #frame: HistorySlot[] = []
  /** Whose turn it is in the slice that goes on. */
  #turn = 0
  /** How many have had a turn since anybody had more to send. */
  #idle = 0
  #sliceScheduled = false
  readonly #continue: () => void
  #pictureId = 0
  /** First packet of the newest keyframe, and when it came. Null where pictures were left out since then. */
  #keyframe: { sequence: number; atMs: number } | null = null

  constructor(encoding: VideoEncoding, { onKeyframeNeeded, guard = unguarded }: VideoFanOutOptions) {
    this.encoding = encoding
    this.#continue = guard('fan-out', () => {
      this.#sliceScheduled = false
      this.#sendSlice()
    })
    const history = () => this.#history
    const recentKeyframe = () => this.#recentKeyframe
    this.#source = {
      get end() {
        return history()?.end ?? 0
      },
      get recentKeyframe() {
        return recentKeyframe()
      },
      find: (sequence) => history()?.find(sequence) ?? null,
      onKeyframeNeeded,
    }
  }

  get #recentKeyframe(): number | null {
    const keyframe = this.#keyframe
    return keyframe && performance.now() - keyframe.atMs <= RECENT_MS ? keyframe.sequence : null
  }

  /** How many legs receive this stream. */
  get size(): number {
    return this.#senders.length
  }

  /**
   * From now on this leg receives the stream, beginning with the next keyframe or the one that has just come. Adding a leg twice does nothing.
   * @throws where the leg does not receive this codec
   */
  add(transport: WebRtcTransport): void {
    const sender = transport.videoSender
    if (this.#senders.includes(sender)) return
    if (transport.receivedVideoCodec !== codecOf(this.encoding))
      throw new Error(`the leg does not receive ${this.encoding}`)
    this.#senders.push(sender)
    sender.attach(this.#source)
  }

  /** This leg receives the stream no more. */
  remove(transport: WebRtcTransport): void {
    const index = this.#senders.indexOf(transport.videoSender)
    if (index < 0) return
    this.#senders.splice(index, 1)
    transport.videoSender.attach(null)
  }

  /**
   * From now on this leg receives another stream of the same codec, beginning with its next keyframe. Until then it goes on
   * with this one, as long as others receive it.
   */
  moveTo(other: VideoFanOut, transport: WebRtcTransport): void {
    const index = this.#senders.indexOf(transport.videoSender)
    if (index < 0) return
    this.#senders.splice(index, 1)
    other.#senders.push(transport.videoSender)
    transport.videoSender.switchTo(other.#source)
  }

  /** Sends one frame to all legs. `frame.data` is not touched after the return. */
  publish(frame: EncodedVideoFrame): void {
    if (this.#senders.length === 0) {
      this.#keyframe = null
      return
    }
    this.#history ??= new PacketHistory()
    const history = this.#history
    const slots = this.#frame
    slots.length = 0
    const open = (): HistorySlot => {
      const slot = history.open()
      slots.push(slot)
      return slot
    }
    if (codecOf(this.encoding) === 'H264') packetizeH264(frame.data, MOST_VIDEO_PAYLOAD_BYTES, open)
    else packetizeVp8(frame.data, this.#pictureId, MOST_VIDEO_PAYLOAD_BYTES, open)
    this.#pictureId = (this.#pictureId + 1) & 0x7fff
    const nowMs = performance.now()
    const sendTime = absoluteSendTime(nowMs)
    for (let i = 0; i < slots.length; i++) {
      const slot = slots[i]!
      slot.timestamp = frame.rtpTimestamp % 2 ** 32
      slot.marker = i === slots.length - 1
      slot.beginsKeyframe = frame.keyframe && i === 0
      slot.sendTime = sendTime
      slot.capturedAtMs = frame.capturedAtMs
      slot.queuedAtMs = nowMs
      slot.packet = slot.bytes.subarray(0, VIDEO_HEADER_BYTES + slot.length)
      prepareVideoHeader(slot.bytes)
    }
    if (frame.keyframe && slots[0]) this.#keyframe = { sequence: slots[0].sequence, atMs: nowMs }
    this.#idle = 0
    if (!this.#sliceScheduled) this.#sendSlice()
  }

  /** A chunk to each in turn, until nobody can be sent more now. What a pacer holds back leaves with the ticks of its leg. */
  #sendSlice(): void {
    let nowMs = performance.now()
    const until = nowMs + SLICE_MS
    while (this.#idle < this.#senders.length) {
      if (nowMs > until) {
        this.#sliceScheduled = true
        setImmediate(this.#continue)
        return
      }
      this.#turn = (this.#turn + 1) % this.#senders.length
      this.#idle = this.#senders[this.#turn]!.sendChunk(nowMs) ? 0 : this.#idle + 1
      nowMs = performance.now()
    }
  }
}
