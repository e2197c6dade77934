/** What somebody in a session can show to everybody for some seconds. The page imports this. */
export const REACTIONS = ['👍', '👏', '❤️', '😂', '🎉'] as const

export type Reaction = (typeof REACTIONS)[number]
