import { isRtcp } from '../../server/src/media-worker/transport/rtp/rtp-packet.ts'
import { Pipe } from './pipe.ts'
import { addressesOf } from './sdp.ts'
import type { Link } from './viewer.ts'
import { type Place, Wire } from './wire.ts'

/** ICE, DTLS and SRTP of one viewer by libdatachannel, with a socket of its own. Media is not decrypted (see {@link Wire}). */
export class NativeLink implements Link {
  onPacket: (packet: Buffer) => void = () => {}
  readonly #wire = new Wire()
  readonly #pipe: Pipe

  constructor(name: string) {
    this.#wire.onMedia = (packet) => this.onPacket(packet)
    this.#pipe = new Pipe(name, (packet) => {
      if (isRtcp(packet)) this.onPacket(packet)
    })
  }

  get isOpen(): boolean {
    return this.#pipe.isOpen
  }

  offer(): Promise<string> {
    return this.#pipe.offer(null)
  }

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
    return this.#wire.connect(server)
  }

  /** Takes the packets that have come. To be called every few milliseconds. */
  poll(): void {
    this.#wire.poll()
  }

  send(packet: Buffer): void {
    this.#pipe.send(packet)
  }

  tick(): void {}

  close(): void {
    this.#pipe.close()
    this.#wire.close()
  }
}
