/** How often the timer beats, in milliseconds. */
const BEAT_MS = 50

const beats: number[] = []
let timer: ReturnType<typeof setInterval> | undefined

/** Begins to note when a timer of the page beats. It beats late while the browser gets no processor. */
export function beginPulse(): void {
  clearInterval(timer)
  beats.length = 0
  timer = setInterval(() => beats.push(Date.now()), BEAT_MS)
}

/** Ends it. @returns when the timer has beaten: Unix epoch, milliseconds */
export function endPulse(): number[] {
  clearInterval(timer)
  return beats.splice(0)
}
