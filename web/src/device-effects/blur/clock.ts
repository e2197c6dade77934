/** A worker that ticks in the interval that it is told, in milliseconds. */
self.addEventListener('message', ({ data }: MessageEvent<number>) => {
  setInterval(() => self.postMessage(null), data)
})
