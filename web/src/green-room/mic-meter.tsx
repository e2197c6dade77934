import { useRef } from 'react'
import { useMicLevel } from './use-mic-level.ts'

const bars = [0.08, 0.2, 0.32, 0.44, 0.56, 0.68, 0.8]

/** Moves with the microphone's level, so that people see before joining that their microphone works. */
export function MicMeter({ stream }: { stream: MediaStream | null }) {
  const root = useRef<HTMLDivElement>(null)
  useMicLevel(stream, root)
  return (
    <div ref={root} aria-hidden className="flex h-4 items-end gap-0.75">
      {bars.map((bar) => (
        <span
          key={bar}
          className="h-full w-1 rounded-full bg-talking"
          style={{ opacity: `clamp(0.18, calc((var(--level, 0) - ${bar}) * 20 + 0.18), 1)` }}
        />
      ))}
    </div>
  )
}
