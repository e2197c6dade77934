import { Slider as Radix } from 'radix-ui'
import { useState } from 'react'

interface SliderProps {
  /** It is read out. */
  label: string
  value: number
  min: number
  max: number
  step: number
  /** The value in words, which is read out. */
  text: string
  disabled?: boolean
  /** Called once at the end of a movement. */
  onCommit: (value: number) => void
}

/** A value between two limits. While the person moves it, it shows that, and afterwards again the present value. */
export function Slider({ label, value, min, max, step, text, disabled = false, onCommit }: SliderProps) {
  const [held, setHeld] = useState<number | null>(null)
  return (
    <Radix.Root
      value={[held ?? value]}
      min={min}
      max={max}
      step={step}
      disabled={disabled}
      onValueChange={([next]) => setHeld(next ?? null)}
      onValueCommit={([next]) => {
        setHeld(null)
        if (next !== undefined) onCommit(next)
      }}
      className="relative flex h-10 w-full touch-none items-center select-none data-disabled:opacity-55"
    >
      <Radix.Track className="relative h-1.5 grow rounded-full bg-line">
        <Radix.Range className="absolute h-full rounded-full bg-accent" />
      </Radix.Track>
      <Radix.Thumb
        aria-label={label}
        aria-valuetext={text}
        className="block size-5 rounded-full border-2 border-accent bg-surface shadow-card"
      />
    </Radix.Root>
  )
}
