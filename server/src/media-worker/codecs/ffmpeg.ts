import { AV_LOG_QUIET, type FFDecoderCodec, type FFEncoderCodec } from 'node-av/constants'
import { Codec, CodecContext, FFmpegError, Log } from 'node-av/lib'

// What a hostile camera sends must not fill the log; every call's outcome is checked here instead.
Log.setLevel(AV_LOG_QUIET)

/** FFmpeg refused a call. */
export class CodecError extends Error {
  override readonly name = 'CodecError'
  /** FFmpeg's own number, negative. */
  readonly code: number

  constructor(operation: string, code: number) {
    super(`${operation}: ${FFmpegError.strerror(code)}`)
    this.code = code
  }
}

/** @throws CodecError for a negative result of FFmpeg; @returns the result */
export function check(operation: string, result: number): number {
  if (result < 0) throw new CodecError(operation, result)
  return result
}

/** Options are set one by one: opening a codec with a dictionary crashes the process (node-av 6). */
export function setOptions(
  target: { setOption(name: string, value: string): number },
  options: Readonly<Record<string, string>>,
): void {
  for (const [name, value] of Object.entries(options)) check(`option ${name}`, target.setOption(name, value))
}

/** An encoder's context, single-threaded, to be configured and then opened with {@link openCodec}. */
export function allocateEncoder(name: FFEncoderCodec): { codec: Codec; context: CodecContext } {
  return allocate(Codec.findEncoderByName(name), name)
}

/** A decoder's context, single-threaded, to be configured and then opened with {@link openCodec}. */
export function allocateDecoder(name: FFDecoderCodec): { codec: Codec; context: CodecContext } {
  return allocate(Codec.findDecoderByName(name), name)
}

function allocate(codec: Codec | null, name: string): { codec: Codec; context: CodecContext } {
  if (!codec) throw new Error(`this FFmpeg has no ${name}`)
  const context = new CodecContext()
  context.allocContext3(codec)
  context.threadCount = 1
  return { codec, context }
}

/** Opens a configured context; frees it when that fails. */
export function openCodec(
  codec: Codec,
  context: CodecContext,
  options: Readonly<Record<string, string>>,
): void {
  try {
    setOptions(context, options)
    check(`open ${codec.name}`, context.open2Sync(codec, null))
  } catch (error) {
    context.freeContext()
    throw error
  }
}
