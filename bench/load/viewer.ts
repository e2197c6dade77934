import { writeNack, writeReport } from '../../server/src/media-worker/transport/rtp/rtcp-writer.ts'
import { Downlink } from './downlink.ts'
import { Pipe } from './pipe.ts'
import { addressesOf } from './sdp.ts'
import { type Place, Wire } from './wire.ts'

/** Of the control packets of somebody who sends no media. */
const SSRC = 1
const TICKS_PER_REPORT = 20

/**
 * Somebody in the audience: counts what arrives and sends back what a browser does, but decrypts no media (see
 * {@link Wire}). The caller has to call `poll` every few milliseconds, and `tick` every 50 ms.
 */
export class Viewer {
  readonly downlink = new Downlink(SSRC)
  readonly #pipe: Pipe
  readonly #wire = new Wire()
  readonly #send = (packet: Buffer): void => this.#pipe.send(packet)
  #ticks = Math.floor(Math.random() * TICKS_PER_REPORT)

  constructor(name: string) {
    const onPacket = (packet: Buffer) => this.downlink.onPacket(packet)
    this.#wire.onMedia = onPacket
    this.#pipe = new Pipe(name, onPacket)
  }

  offer(): Promise<string> {
    return this.#pipe.offer(null)
  }

  /** @throws if the answer has no IPv4 address of the server */
  accept(answer: string): void {
    this.#pipe.accept(answer, this.#connect(answer))
  }

  /** @returns an answer to the offer of a server. @throws if that has no IPv4 address */
  answer(offer: string): Promise<string> {
    return this.#pipe.answer(offer, this.#connect(offer))
  }

  #connect(description: string): Place {
    const [server] = addressesOf(description)
    if (!server) throw new Error(`no address in ${description}`)
    this.downlink.negotiated(description)
    return this.#wire.connect(server)
  }

  /** Asks for a packet of the picture once more. */
  ask(sequence: number): void {
    this.#pipe.send(writeNack(SSRC, this.downlink.video.ssrc, [sequence]))
  }

  /** Takes the packets that have come. */
  poll(): void {
    this.#wire.poll()
  }

  tick(nowMs: number): void {
    if (!this.#pipe.isOpen) return
    this.downlink.sendFeedback(this.#send)
    if (this.#ticks++ % TICKS_PER_REPORT !== 0) return
    // Each stream has a packet of its own, as from a browser.
    for (const block of this.downlink.blocks(nowMs))
      this.#pipe.send(writeReport(SSRC, null, [block], 'viewer'))
    this.downlink.sendEstimate(this.#send)
  }

  close(): void {
    this.#pipe.close()
    this.#wire.close()
  }
}
