/** What the server takes as the JSON of one message, in UTF-16 units (server/src/chat/chat.ts). */
const LIMIT = 20_000

/** By how many characters a text is too long for one message; 0 if it is not. */
export function excessOf(text: string): number {
  // Each character is at least one of JSON, and most texts are far below the limit.
  return text.length * 6 + 2 <= LIMIT ? 0 : Math.max(0, JSON.stringify(text).length - LIMIT)
}
