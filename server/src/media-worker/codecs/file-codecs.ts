/**
 * What a played file may be made of. FFmpeg knows hundreds of formats, many of them hardly ever used or tested. A file comes
 * from a stranger, so only the usual ones are read.
 */

/** Containers, as FFmpeg's demuxers are called. */
export const FILE_FORMATS = 'mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,mpegts,flv,live_flv,mp3,aac,ogg,wav,flac'

/** FFmpeg's decoders for them. */
const FILE_DECODERS = [
  'h264',
  'hevc',
  'vp8',
  'vp9',
  'libdav1d',
  'mpeg4',
  'mpeg2video',
  'mjpeg',
  'png',
  'aac',
  'mp3',
  'mp3float',
  'mp2',
  'opus',
  'libopus',
  'vorbis',
  'flac',
  'alac',
  'ac3',
  'eac3',
  'pcm_s16le',
  'pcm_s24le',
  'pcm_f32le',
  'pcm_mulaw',
  'pcm_alaw',
] as const

/** {@link FILE_DECODERS} as FFmpeg's option takes them. */
export const FILE_DECODER_LIST = FILE_DECODERS.join(',')

/** Whether a decoder of this name may be used for a file. */
export function isFileDecoder(name: string | null): boolean {
  return name !== null && (FILE_DECODERS as readonly string[]).includes(name)
}
