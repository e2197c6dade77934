import type { Stream } from 'node-av/lib'
import type { DemuxedPacket, MediaDemuxer, PacketReader } from '../codecs/media-demuxer.ts'

/**
 * Puts together a picture and a sound that come from two sources, as HLS has them (RFC 8216, section 4.3.4.1). It reads from
 * one at a time, so that no more than one thread waits for a source.
 */
export class SeparateSound implements PacketReader {
  readonly #picture: MediaDemuxer
  readonly #sound: MediaDemuxer
  /** The next packet of each; null at its end, undefined where it has to be read. */
  #nextPicture: DemuxedPacket | null | undefined
  #nextSound: DemuxedPacket | null | undefined

  /** Owns both: they are closed with it. */
  constructor(picture: MediaDemuxer, sound: MediaDemuxer) {
    this.#picture = picture
    this.#sound = sound
    sound.startWith(picture)
  }

  get video(): Stream | null {
    return this.#picture.video
  }

  get audio(): Stream | null {
    return this.#sound.audio
  }

  startAt(positionMs: number): void {
    this.#picture.startAt(positionMs)
    this.#sound.startWith(this.#picture)
  }

  async read(): Promise<DemuxedPacket | null> {
    if (this.#nextPicture === undefined) this.#nextPicture = await this.#picture.read()
    if (this.#nextSound === undefined) this.#nextSound = await this.#sound.read()
    const [picture, sound] = [this.#nextPicture, this.#nextSound]
    if (sound && (!picture || sound.atMs <= picture.atMs)) {
      this.#nextSound = undefined
      return sound
    }
    if (picture) this.#nextPicture = undefined
    return picture
  }

  async close(): Promise<void> {
    await Promise.all([this.#picture.close(), this.#sound.close()])
    for (const next of [this.#nextPicture, this.#nextSound]) next?.packet.free()
    this.#nextPicture = this.#nextSound = null
  }
}
