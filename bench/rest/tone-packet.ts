import { OpusEncoder } from '../../server/src/media-worker/codecs/audio-encoder.ts'

/** An Opus packet with 20 ms of a tone. */
export function tonePacket(): Buffer {
  const encoder = new OpusEncoder({ expectedLossPercent: 0, packetMs: 20 })
  const pcm = Float32Array.from({ length: 960 }, (_, i) => 0.3 * Math.sin((2 * Math.PI * 440 * i) / 48_000))
  let packet = Buffer.alloc(0)
  // The first packets of an encoder differ from later ones, so they are skipped.
  for (let i = 0; i < 5; i++) {
    encoder.encode(pcm, (data) => {
      packet = Buffer.from(data)
    })
  }
  encoder.close()
  return packet
}
