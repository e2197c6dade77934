import type { DemuxedPacket } from '../codecs/media-demuxer.ts'

/** Packets of one stream that wait to be decoded. */
export class PacketQueue {
  #packets: DemuxedPacket[] = []
  #sizeInBytes = 0

  get length(): number {
    return this.#packets.length
  }

  get sizeInBytes(): number {
    return this.#sizeInBytes
  }

  get first(): DemuxedPacket | undefined {
    return this.#packets[0]
  }

  push(packet: DemuxedPacket): void {
    this.#packets.push(packet)
    this.#sizeInBytes += packet.sizeInBytes
  }

  /** Whoever takes it frees it. */
  shift(): DemuxedPacket | undefined {
    const packet = this.#packets.shift()
    if (packet) this.#sizeInBytes -= packet.sizeInBytes
    return packet
  }

  /** Drops what comes before the last packet up to `positionMs` from which decoding can begin. */
  skipToKeyframe(positionMs: number): void {
    const index = this.#packets.findLastIndex(({ packet, atMs }) => atMs <= positionMs && packet.isKeyframe)
    for (let dropped = 0; dropped < index; dropped++) this.shift()?.packet.free()
  }

  clear(): void {
    for (const { packet } of this.#packets) packet.free()
    this.#packets = []
    this.#sizeInBytes = 0
  }
}
