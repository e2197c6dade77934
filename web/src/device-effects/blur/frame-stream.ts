import type { BlurFilter, FilteredTrack } from './blur-filter.ts'

/** The parts of "MediaStreamTrack Insertable Media Processing" that Chromium has, and that have no types yet. */
interface FrameStreams {
  MediaStreamTrackProcessor: new (from: {
    track: MediaStreamTrack
    maxBufferSize: number
  }) => { readable: ReadableStream<VideoFrame> }
  MediaStreamTrackGenerator: new (of: {
    kind: 'video'
  }) => MediaStreamTrack & {
    writable: WritableStream<VideoFrame>
  }
}

const streams = globalThis as unknown as FrameStreams

/** Whether the browser gives frames to the page, also while nobody sees the page. */
export const canStreamFrames = (): boolean =>
  'MediaStreamTrackProcessor' in globalThis && 'MediaStreamTrackGenerator' in globalThis

/** Filters a camera frame by frame. A camera that is faster than the filter loses frames. */
export function framesOf(source: MediaStreamTrack, filter: BlurFilter): FilteredTrack {
  const { readable } = new streams.MediaStreamTrackProcessor({ track: source, maxBufferSize: 1 })
  const track = new streams.MediaStreamTrackGenerator({ kind: 'video' })
  const ended = new AbortController()
  const filtering = new TransformStream<VideoFrame, VideoFrame>({
    async transform(frame, controller) {
      if (!filter.isOn()) return controller.enqueue(frame)
      const { timestamp } = frame
      try {
        controller.enqueue(await filter.blur(frame, (picture) => new VideoFrame(picture, { timestamp })))
      } catch {
        // This frame is lost. It would show the background.
        frame.close()
        if (!ended.signal.aborted) filter.failed()
      }
    },
  })
  readable
    .pipeThrough(filtering, { signal: ended.signal })
    .pipeTo(track.writable, { signal: ended.signal })
    .catch(() => {})
  return { track, stop: () => ended.abort() }
}
