import { writeNack, writeReport } from '../../server/src/media-worker/transport/rtp/rtcp-writer.ts'
import { Downlink } from './downlink.ts'

/** Of the control packets of somebody who sends no media. */
const SSRC = 1
/** Of the picture every second, and of the sound every five: what Chromium (156) does. */
const TICKS_PER_REPORT = 17
const REPORTS_PER_SOUND_REPORT = 5

/** The transport of one viewer. */
export interface Link {
  /** Set by the owner. Takes an RTP packet with an encrypted payload, or a decrypted RTCP packet; valid during the call. */
  onPacket: (packet: Buffer) => void
  readonly isOpen: boolean
  offer(): Promise<string>
  /** @throws if the answer has no IPv4 address of the server */
  accept(answer: string): void
  /** Sends an RTCP packet, which is copied. */
  send(packet: Buffer): void
  tick(nowMs: number): void
  close(): void
}

/**
 * Somebody in the audience: counts what arrives and sends back what a browser does, but decrypts no media. The caller has to
 * poll the link every few milliseconds, and to call `tick` every 60 ms: Chromium tells of arrivals 16 times a second.
 */
export class Viewer<L extends Link = Link> {
  readonly downlink = new Downlink(SSRC)
  readonly link: L
  readonly #send = (packet: Buffer): void => this.link.send(packet)
  #ticks = Math.floor(Math.random() * TICKS_PER_REPORT * REPORTS_PER_SOUND_REPORT)

  constructor(link: L) {
    this.link = link
    link.onPacket = (packet) => this.downlink.onPacket(packet)
  }

  offer(): Promise<string> {
    return this.link.offer()
  }

  /** @throws if the answer has no IPv4 address of the server */
  accept(answer: string): void {
    this.downlink.negotiated(answer)
    this.link.accept(answer)
  }

  /** Asks for a packet of the picture once more. */
  ask(sequence: number): void {
    this.link.send(writeNack(SSRC, this.downlink.video.ssrc, [sequence]))
  }

  tick(nowMs: number): void {
    this.link.tick(nowMs)
    if (!this.link.isOpen) return
    this.downlink.sendFeedback(this.#send)
    const reports = this.#ticks++ / TICKS_PER_REPORT
    if (!Number.isInteger(reports)) return
    const withSound = reports % REPORTS_PER_SOUND_REPORT === 0
    // Each stream has a packet of its own, as from a browser.
    for (const block of this.downlink.blocks(nowMs, withSound))
      this.link.send(writeReport(SSRC, null, [block], 'viewer'))
    this.downlink.sendEstimate(this.#send)
  }

  close(): void {
    this.link.close()
  }
}
