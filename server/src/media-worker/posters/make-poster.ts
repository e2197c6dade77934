import { open, rename, rm } from 'node:fs/promises'
import { AVERROR_EOF, AVMEDIA_TYPE_VIDEO, AVSEEK_FLAG_BACKWARD } from 'node-av/constants'
import { FormatContext, Packet, type Stream } from 'node-av/lib'
import { check } from '../codecs/ffmpeg.ts'
import { FileVideoDecoder, type TimedPicture } from '../codecs/file-video-decoder.ts'
import { Picture } from '../codecs/picture.ts'
import { encodePoster } from '../codecs/poster-encoder.ts'
import { Scaler } from '../codecs/scaler.ts'

const WIDTH = 640
const HEIGHT = 360
/** The picture is taken at this part of the recording: at its beginning, rooms are often empty. */
const PART = 1 / 3
/** Pictures that are decoded at most, from the keyframe before that place. */
const MOST_PICTURES = 150

/**
 * Takes one picture out of a recording and writes it as WebP.
 * @param target absolute path; it is there whole, or not at all
 * @throws when nothing of the recording can be decoded, or the disk does not take the picture
 */
export async function makePoster(source: string, target: string): Promise<void> {
  const input = new FormatContext()
  check('open the recording', await input.openInput(source))
  try {
    check('read the recording', await input.findStreamInfo())
    const { streamIndex } = input.findBestStream(AVMEDIA_TYPE_VIDEO, -1, -1, true)
    const stream = input.streams[streamIndex]
    if (!stream) throw new Error('the recording has no picture')
    const wanted = (Number(input.duration) / 1000) * PART
    const place = BigInt(Math.max(0, Math.round(wanted * 1000)))
    check('seek', await input.seekFrame(-1, place, AVSEEK_FLAG_BACKWARD))
    const found = await pictureAt(input, stream, wanted)
    try {
      await writeWhole(target, drawn(found))
    } finally {
      found.picture.release()
    }
  } finally {
    await input.closeInput()
  }
}

/** The first picture at that time or later, or else the last one. The caller releases it. */
async function pictureAt(input: FormatContext, stream: Stream, wantedMs: number): Promise<TimedPicture> {
  const decoder = new FileVideoDecoder(stream)
  const packet = new Packet()
  packet.alloc()
  let found: TimedPicture | null = null
  let count = 0
  let isOver = false
  try {
    while (!isOver) {
      const result = await input.readFrame(packet)
      isOver = result === AVERROR_EOF
      if (!isOver) check('read', result)
      const isPicture = isOver || packet.streamIndex === stream.index
      const pictures = isPicture ? await decoder.decode(isOver ? null : packet) : []
      packet.unref()
      for (const next of pictures) {
        found?.picture.release()
        found = next
        if (next.atMs >= wantedMs || ++count >= MOST_PICTURES) isOver = true
      }
    }
  } finally {
    packet.free()
    decoder.close()
  }
  if (!found) throw new Error('nothing of the recording can be decoded')
  return found
}

function drawn({ picture }: TimedPicture): Buffer {
  const scaler = new Scaler()
  const poster = new Picture(WIDTH, HEIGHT)
  try {
    scaler.scale(picture, poster)
    return encodePoster(poster)
  } finally {
    poster.free()
    scaler.free()
  }
}

async function writeWhole(target: string, content: Buffer): Promise<void> {
  const part = `${target}.part`
  try {
    const handle = await open(part, 'w', 0o600)
    try {
      await handle.writeFile(content)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(part, target)
  } catch (error) {
    await rm(part, { force: true })
    throw error
  }
}
