import { MediaDemuxer, type PacketReader } from '../codecs/media-demuxer.ts'
import { type AddressJudge, RTMP_PROTOCOLS } from './address-judge.ts'
import { isHls } from './hls-playlist.ts'
import { HlsSource, type HlsSources } from './hls-source.ts'
import { RtmpRelay } from './rtmp-relay.ts'
import { SeparateSound } from './separate-sound.ts'
import { WebFile } from './web-file.ts'

const PEEK_BYTES = 64 * 1024
const PLAYLIST_BYTES = 8 * 1024 * 1024

/** A file or a live transmission that has been opened, and can be read from one place on. */
export interface OpenedMedia {
  readonly demuxer: PacketReader
  /** Null for a live transmission. */
  readonly durationMs: number | null
  /** It comes as it happens, and can be opened again when the connection breaks. */
  readonly isTransmission: boolean
  /** Its end differs from a connection that broke. */
  readonly saysItsEnd: boolean
  /**
   * Goes to another place. Not while the demuxer reads.
   * @returns what to read from now on, which may be another one; then this one is closed. Null where seeking is impossible
   */
  readonly seek: ((positionMs: number) => Promise<OpenedMedia>) | null
}

export interface MediaSourceOptions {
  /** `http`, `https`, `rtmp` or `rtmps`. */
  url: string
  judge: AddressJudge
  /** Aborted when the playback is closed: whatever waits ends. */
  signal: AbortSignal
}

/**
 * Opens what lies at an address.
 * @throws Error when it may not be opened, cannot be had, or cannot be played
 */
export async function openMedia(options: MediaSourceOptions): Promise<OpenedMedia> {
  const { url, judge, signal } = options
  if (/^rtmps?:/i.test(url)) return openRtmp(options)
  const file = await WebFile.open(url, judge, signal)
  if (!isHls(await file.peek(PEEK_BYTES))) return openWebFile(file)
  const text = await readText(file)
  return openHls(await HlsSource.open({ url: file.url, judge, signal }, text), 0)
}

async function readText(file: WebFile): Promise<string> {
  const parts: Buffer[] = []
  let length = 0
  for (let part = await file.read(PEEK_BYTES); part; part = await file.read(PEEK_BYTES)) {
    length += part.length
    if (length > PLAYLIST_BYTES) throw new Error('the playlist is too long')
    parts.push(part)
  }
  file.close()
  return Buffer.concat(parts).toString('utf8')
}

async function openHls(sources: HlsSources, startsAtMs: number): Promise<OpenedMedia> {
  const demuxer = await demuxHls(sources, startsAtMs)
  const { durationMs } = sources.main
  const seek = async (positionMs: number) => {
    await demuxer.close()
    const { source: main, startsAtMs } = sources.main.from(positionMs)
    return openHls({ main, sound: sources.sound?.from(positionMs).source ?? null }, startsAtMs)
  }
  return {
    demuxer,
    durationMs,
    isTransmission: false,
    saysItsEnd: true,
    seek: durationMs === null ? null : seek,
  }
}

async function demuxHls({ main, sound }: HlsSources, startsAtMs: number): Promise<PacketReader> {
  const options = { startsAtMs, followsJumps: true }
  if (!sound) return MediaDemuxer.open(main, options)
  const picture = await MediaDemuxer.open(main, { ...options, only: 'video' })
  try {
    return new SeparateSound(picture, await MediaDemuxer.open(sound, { ...options, only: 'audio' }))
  } catch (error) {
    await picture.close()
    throw error
  }
}

async function openRtmp({ url, judge, signal }: MediaSourceOptions): Promise<OpenedMedia> {
  const relay = await RtmpRelay.open(url, await judge(url, RTMP_PROTOCOLS), signal)
  const demuxer = await MediaDemuxer.open(relay, { followsJumps: true })
  return { demuxer, durationMs: null, isTransmission: true, saysItsEnd: false, seek: null }
}

async function openWebFile(file: WebFile): Promise<OpenedMedia> {
  const isLive = file.sizeInBytes === null
  const demuxer = await MediaDemuxer.open(file, { followsJumps: isLive })
  const { durationMs } = demuxer
  const media: OpenedMedia = {
    demuxer,
    durationMs,
    isTransmission: isLive && durationMs === null && file.isEndless,
    saysItsEnd: true,
    seek:
      isLive || durationMs === null
        ? null
        : async (positionMs) => {
            await demuxer.seek(positionMs)
            return media
          },
  }
  return media
}
