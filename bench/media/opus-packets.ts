import { OpusEncoder } from '../../server/src/media-worker/codecs/audio-encoder.ts'

/** What a microphone of the benches takes up. */
export type Sound = 'tone' | 'silence'

const SAMPLES = 960
/** Far below what counts as speech, like a quiet room. */
const QUIET = 0.0003

/** An Opus packet with 20 ms of a sound. It can be sent again and again. */
export function opusPacket(sound: Sound): Buffer {
  const encoder = new OpusEncoder({ expectedLossPercent: 0, packetMs: 20 })
  const pcm = Float32Array.from({ length: SAMPLES }, (_, i) =>
    sound === 'tone' ? 0.3 * Math.sin((2 * Math.PI * 440 * i) / 48_000) : QUIET * (Math.random() - 0.5),
  )
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
