/** What is done to the frames of a camera. */
export interface BlurFilter {
  /** While it is off, frames go through as they are. */
  isOn(): boolean
  /** Blurs the background of a frame, which is closed then. @throws if it fails */
  blur<Result>(
    frame: VideoFrame | HTMLVideoElement,
    use: (picture: HTMLCanvasElement) => Result,
  ): Promise<Result>
  /** To be called when `blur` threw. */
  failed(): void
}

/** A track that is made of a camera's track. */
export interface FilteredTrack {
  track: MediaStreamTrack
  stop(): void
}
