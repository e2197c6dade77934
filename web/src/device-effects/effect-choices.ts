import { readStored, writeStored } from '../browser-storage.ts'

/** Who leaves out noise: nobody, the browser, or code of this page, which leaves out more. */
export const NOISE_SUPPRESSIONS = ['off', 'browser', 'strong'] as const
export type NoiseSuppression = (typeof NOISE_SUPPRESSIONS)[number]

/** What is done to the own picture and sound before they are sent. */
export interface EffectChoices {
  /** Whether the background of the picture is blurred. */
  blur: boolean
  noise: NoiseSuppression
}

const STORAGE_KEY = 'parley.effects'
const INITIAL: EffectChoices = { blur: false, noise: 'browser' }
const listeners = new Set<() => void>()
let choices = readChoices()

/** The present choices. The object stays the same until one changes. */
export const effectChoices = (): EffectChoices => choices

/** Changes some choices. The device keeps them, if the browser allows it. */
export function chooseEffects(part: Partial<EffectChoices>): void {
  choices = { ...choices, ...part }
  writeStored('device', STORAGE_KEY, JSON.stringify(choices))
  for (const listener of listeners) listener()
}

/** @returns ends it */
export function onEffectChoices(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function readChoices(): EffectChoices {
  try {
    return { ...INITIAL, ...JSON.parse(readStored('device', STORAGE_KEY) ?? '{}') }
  } catch {
    return INITIAL
  }
}
