/**
 * What a media worker gives up one after the other while its machine has too much to do. Each step includes those before it:
 * nothing; pictures in which nothing moves come once a second; cameras send smaller pictures; encoding with less effort; 15, then
 * 10 pictures a second; no new rooms; no new audience.
 */
export const OVERLOAD_STEPS = [
  'none',
  'still-rooms',
  'small-cameras',
  'fast-encoding',
  'fps-15',
  'fps-10',
  'no-rooms',
  'no-audience',
] as const

export type OverloadStep = (typeof OVERLOAD_STEPS)[number]

/** Whether a worker at `step` gives up what `wanted` names. */
export function givesUp(step: OverloadStep, wanted: OverloadStep): boolean {
  return OVERLOAD_STEPS.indexOf(step) >= OVERLOAD_STEPS.indexOf(wanted)
}
