import { SAMPLE_RATE } from '../codecs/opus-decoder.ts'

export type Tone = 'entry' | 'exit'

const NOTE_S = 0.11
/** How long the second note sounds. */
const TAIL_S = 0.22
const ATTACK_S = 0.008
const AMPLITUDE = 0.09

/** A fifth, up when a member enters and down when one leaves. D5 and A5, in hertz. */
const NOTES: Record<Tone, readonly [number, number]> = { entry: [587.33, 880], exit: [880, 587.33] }

/** Two soft notes of about a third of a second, mono at 48 kHz. */
export function renderTone(tone: Tone): Float32Array {
  const pcm = new Float32Array(Math.round((NOTE_S + TAIL_S) * SAMPLE_RATE))
  const [first, second] = NOTES[tone]
  addNote(pcm, first, 0, NOTE_S + 0.06)
  addNote(pcm, second, NOTE_S, TAIL_S)
  return pcm
}

function addNote(pcm: Float32Array, frequency: number, startS: number, lengthS: number): void {
  const start = Math.round(startS * SAMPLE_RATE)
  const length = Math.min(Math.round(lengthS * SAMPLE_RATE), pcm.length - start)
  for (let index = 0; index < length; index++) {
    const seconds = index / SAMPLE_RATE
    const attack = Math.min(1, seconds / ATTACK_S)
    // Falls to nothing exactly at its end, without a click.
    const decay = (1 - index / length) ** 2
    const angle = 2 * Math.PI * frequency * seconds
    const sound = Math.sin(angle) + 0.2 * Math.sin(2 * angle)
    pcm[start + index] = pcm[start + index]! + AMPLITUDE * attack * decay * sound
  }
}
