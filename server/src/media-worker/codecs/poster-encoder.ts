import { AV_PIX_FMT_YUV420P, FF_ENCODER_LIBWEBP } from 'node-av/constants'
import { Packet, Rational } from 'node-av/lib'
import { allocateEncoder, check, openCodec } from './ffmpeg.ts'
import type { Picture } from './picture.ts'

/** WebP has the colours of our pictures: BT.601, limited range. */
const OPTIONS = { quality: '75', compression_level: '4' }

/** Encodes one picture as WebP. It holds the event loop for some milliseconds. @throws CodecError */
export function encodePoster(picture: Picture): Buffer {
  const { codec, context } = allocateEncoder(FF_ENCODER_LIBWEBP)
  context.width = picture.width
  context.height = picture.height
  context.pixelFormat = AV_PIX_FMT_YUV420P
  context.timeBase = new Rational(1, 25)
  openCodec(codec, context, OPTIONS)
  const packet = new Packet()
  packet.alloc()
  try {
    check('encode the poster', context.sendFrameSync(picture.frame))
    check('encode the poster', context.sendFrameSync(null))
    check('encode the poster', context.receivePacketSync(packet))
    return Buffer.from(packet.data ?? [])
  } finally {
    packet.free()
    context.freeContext()
  }
}
