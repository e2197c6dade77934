import { type RefObject, useEffect } from 'react'

/** Levels below this count as silence, in dBFS. */
const floorDb = -60
/** The level falls by this part of the scale per frame, so that it does not flicker. */
const fallPerFrame = 0.03

/**
 * Shows the level of a microphone as the CSS variable `--level` (0 to 1) of an element. It writes directly to the
 * element, because React should not render sixty times a second.
 */
export function useMicLevel(stream: MediaStream | null, element: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    if (!stream) return
    const context = new AudioContext()
    const analyser = context.createAnalyser()
    analyser.fftSize = 1024
    const source = context.createMediaStreamSource(stream)
    source.connect(analyser)
    const samples = new Float32Array(analyser.fftSize)
    let level = 0
    let frame = requestAnimationFrame(function measure() {
      analyser.getFloatTimeDomainData(samples)
      level = Math.max(levelOf(samples), level - fallPerFrame)
      element.current?.style.setProperty('--level', level.toFixed(3))
      frame = requestAnimationFrame(measure)
    })
    // Some browsers block sound until the person clicks or touches the page.
    const resume = () => void context.resume()
    window.addEventListener('pointerdown', resume, { once: true })
    return () => {
      cancelAnimationFrame(frame)
      window.removeEventListener('pointerdown', resume)
      source.disconnect()
      void context.close()
      element.current?.style.setProperty('--level', '0')
    }
  }, [stream, element])
}

function levelOf(samples: Float32Array): number {
  let sum = 0
  for (const sample of samples) sum += sample * sample
  const db = 10 * Math.log10(sum / samples.length + 1e-12)
  return Math.min(1, Math.max(0, (db - floorDb) / -floorDb))
}
