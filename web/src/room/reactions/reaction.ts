import { REACTIONS, type Reaction } from '../../../../server/src/resources/reactions.ts'
import type { TextId } from '../../languages/catalogs.ts'

export { REACTIONS, type Reaction }

/** A reaction that is shown for some seconds. */
export interface ShownReaction {
  id: number
  memberId: string
  name: string
  reaction: Reaction
}

/** More than these are not shown at once: the oldest ones go. */
const MOST_SHOWN = 30

/** What each is called. */
export const reactionNames: Readonly<Record<Reaction, TextId>> = {
  '👍': 'chat.reaction-thumb',
  '👏': 'chat.reaction-applause',
  '❤️': 'chat.reaction-heart',
  '😂': 'chat.reaction-laughter',
  '🎉': 'chat.reaction-party',
}

/** Whether a text is one of the five. A later server may have more. */
export const isReaction = (text: string): text is Reaction => (REACTIONS as readonly string[]).includes(text)

/** Returns the reactions with one more, and its id. */
export function withReaction(
  shown: readonly ShownReaction[],
  reaction: Omit<ShownReaction, 'id'>,
): { reactions: readonly ShownReaction[]; id: number } {
  const id = (shown.at(-1)?.id ?? 0) + 1
  return { reactions: [...shown.slice(1 - MOST_SHOWN), { ...reaction, id }], id }
}
