import { loadTexts } from '../languages/current-language.ts'

/** Loads the function that applies the effects, and what it tells. @throws if that fails */
export async function loadEffects() {
  const [{ withEffects }] = await Promise.all([import('./with-effects.ts'), loadTexts('effects')])
  return withEffects
}
