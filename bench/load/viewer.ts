import { writeNack, writeReport } from '../../server/src/media-worker/transport/rtp/rtcp-writer.ts'
import { Downlink } from './downlink.ts'
import { Pipe } from './pipe.ts'
import { addressesOf } from './sdp.ts'
import { Wire } from './wire.ts'

/** Of the control packets of somebody who sends no media. */
const SSRC = 1
const TICKS_PER_REPORT = 20

/**
 * Somebody in the audience: counts what arrives and sends back what a browser does, but decrypts no media (see
 * {@link Wire}). The caller has to call `tick` every 50 ms.
 */
export class Viewer {
  readonly downlink = new Downlink(SSRC)
  readonly #pipe: Pipe
  readonly #wire: Wire
  readonly #send = (packet: Buffer): void => this.#pipe.send(packet)
  #ticks = Math.floor(Math.random() * TICKS_PER_REPORT)

  private constructor(name: string, wire: Wire) {
    const onPacket = (packet: Buffer) => this.downlink.onPacket(packet)
    wire.onMedia = onPacket
    this.#wire = wire
    this.#pipe = new Pipe(name, onPacket)
  }

  static async open(name: string): Promise<Viewer> {
    return new Viewer(name, await Wire.open())
  }

  offer(): Promise<string> {
    return this.#pipe.offer(null)
  }

  /** @throws if the answer has no IPv4 address of the server */
  accept(answer: string): void {
    const [server] = addressesOf(answer)
    if (!server) throw new Error(`no address in ${answer}`)
    this.downlink.negotiated(answer)
    this.#pipe.accept(answer, this.#wire.connect(server))
  }

  /** Asks for a packet of the picture once more. */
  ask(sequence: number): void {
    this.#pipe.send(writeNack(SSRC, this.downlink.video.ssrc, [sequence]))
  }

  tick(nowMs: number): void {
    if (!this.#pipe.isOpen) return
    this.downlink.sendFeedback(this.#send)
    if (this.#ticks++ % TICKS_PER_REPORT !== 0) return
    this.#pipe.send(writeReport(SSRC, null, this.downlink.blocks(nowMs), 'viewer'))
    this.downlink.sendEstimate(this.#send)
  }

  close(): void {
    this.#pipe.close()
    this.#wire.close()
  }
}
