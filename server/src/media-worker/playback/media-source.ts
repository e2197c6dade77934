import { MediaDemuxer } from '../codecs/media-demuxer.ts'
import type { AddressJudge } from './address-judge.ts'
import { WebFile } from './web-file.ts'

/** A file or a live transmission that has been opened, and can be read from one place on. */
export interface OpenedMedia {
  readonly demuxer: MediaDemuxer
  /** Null for a live transmission. */
  readonly durationMs: number | null
  /** It comes as it happens, and can be opened again when the connection breaks. */
  readonly isTransmission: boolean
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
 * @param startsAtMs position of the beginning of a live transmission
 * @throws Error when it may not be opened, cannot be had, or cannot be played
 */
export async function openMedia(options: MediaSourceOptions, startsAtMs: number): Promise<OpenedMedia> {
  const { url, judge, signal } = options
  const file = await WebFile.open(url, judge, signal)
  return openWebFile(file, startsAtMs)
}

async function openWebFile(file: WebFile, startsAtMs: number): Promise<OpenedMedia> {
  const isLive = file.sizeInBytes === null
  const demuxer = await MediaDemuxer.open(file, isLive ? { startsAtMs, followsJumps: true } : {})
  const { durationMs } = demuxer
  const media: OpenedMedia = {
    demuxer,
    durationMs,
    isTransmission: isLive && durationMs === null && file.isEndless,
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
