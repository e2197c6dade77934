type Listener = (title: string, hint: string) => void

const listeners = new Set<Listener>()

/** Listens for what people have to know of the effects. @returns ends it */
export function onEffectNews(listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Tells that an effect does not do what it should. */
export const tellEffectNews: Listener = (title, hint) => {
  for (const listener of listeners) listener(title, hint)
}
