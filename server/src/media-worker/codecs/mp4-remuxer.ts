import { AVERROR_EOF } from 'node-av/constants'
import { FormatContext, Packet } from 'node-av/lib'
import { CodecError, check } from './ffmpeg.ts'

/**
 * Copies the streams of an MP4 into a new, ordinary one with an index, on FFmpeg's own threads.
 * @returns the length of what was copied
 * @throws CodecError when the source cannot be read or the target cannot be written; the target is then unusable
 */
export async function remuxMp4(source: string, target: string): Promise<{ durationMs: number }> {
  const input = new FormatContext()
  check('open the recording', await input.openInput(source))
  try {
    check('read the recording', await input.findStreamInfo())
    const output = new FormatContext()
    check('make an MP4', output.allocOutputContext2(null, 'mp4', target))
    try {
      for (const stream of input.streams) {
        const copy = output.newStream(null)
        check('copy a stream', stream.codecpar.copy(copy.codecpar))
        copy.timeBase = stream.timeBase
        copy.avgFrameRate = stream.avgFrameRate
      }
      check('open the file', await output.openOutput())
      check('write the header', await output.writeHeader(null))
      const durationMs = await copyPackets(input, output)
      check('write the index', await output.writeTrailer())
      const failure = output.pb?.error ?? 0
      if (failure < 0) throw new CodecError('write', failure)
      return { durationMs }
    } finally {
      await output.closeOutput()
      output.freeContext()
    }
  } finally {
    await input.closeInput()
  }
}

/**
 * How long an MP4 plays, by its packets.
 * @throws CodecError when it cannot be read
 */
export async function measureMp4(file: string): Promise<{ durationMs: number }> {
  const input = new FormatContext()
  check('open the recording', await input.openInput(file))
  try {
    check('read the recording', await input.findStreamInfo())
    return { durationMs: await copyPackets(input, null) }
  } finally {
    await input.closeInput()
  }
}

/** @returns the end of the last packet in milliseconds */
async function copyPackets(input: FormatContext, output: FormatContext | null): Promise<number> {
  const sources = input.streams
  const targets = output?.streams ?? []
  const packet = new Packet()
  packet.alloc()
  let endMs = 0
  try {
    for (;;) {
      const result = await input.readFrame(packet)
      if (result === AVERROR_EOF) return endMs
      check('read', result)
      const source = sources[packet.streamIndex]
      if (!source) continue
      const { num, den } = source.timeBase
      endMs = Math.max(endMs, (Number(packet.pts + packet.duration) * 1000 * num) / den)
      const target = targets[packet.streamIndex]
      if (output && target) {
        packet.rescaleTs(source.timeBase, target.timeBase)
        check('write', await output.interleavedWriteFrame(packet))
      }
      packet.unref()
    }
  } finally {
    packet.free()
  }
}
