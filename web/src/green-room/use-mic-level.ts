import { type RefObject, useEffect } from 'react'

/** Quieter than this counts as silence, in decibels of full scale. */
const floorDb = -60
/** The level falls by this part of the scale per frame, so that the eye can follow. */
const fallPerFrame = 0.03

/**
 * Shows how loud a microphone is, as the CSS variable `--level` (0 to 1) of an element.
 * It writes to the element itself: sixty renders a second are not React's work.
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
    // Some browsers hold sound back until the page is touched.
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
