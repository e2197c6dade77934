/** A part of a text: plain, or the address of a link. */
export interface TextPart {
  text: string
  /** Where it leads; null for plain text. */
  href: string | null
}

const ADDRESS = /\bhttps?:\/\/[^\s<>"']+/giu
/** What stands behind an address in a sentence, and seldom belongs to it. */
const ENDING = new Set('.,;:!?…。、，！？»”’*_~|')
const BRACKETS: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' }

/** Finds the web addresses in a text. Joined, the parts are the text. No other scheme becomes a link. */
export function textParts(text: string): TextPart[] {
  const parts: TextPart[] = []
  let at = 0
  for (const match of text.matchAll(ADDRESS)) {
    const address = withoutEnding(match[0])
    const href = hrefOf(address)
    if (href === null) continue
    if (match.index > at) parts.push({ text: text.slice(at, match.index), href: null })
    parts.push({ text: address, href })
    at = match.index + address.length
  }
  if (at < text.length) parts.push({ text: text.slice(at), href: null })
  return parts
}

function withoutEnding(address: string): string {
  const surplus = surplusBrackets(address)
  let length = address.length
  for (; length > 0; length--) {
    const last = address.charAt(length - 1)
    const isSurplus = (surplus.get(last) ?? 0) > 0
    if (isSurplus) surplus.set(last, (surplus.get(last) ?? 0) - 1)
    else if (!ENDING.has(last)) break
  }
  return address.slice(0, length)
}

/** By how many each closing bracket is more often there than its opening one. */
function surplusBrackets(address: string): Map<string, number> {
  const count = (character: string) => address.split(character).length - 1
  return new Map(
    Object.entries(BRACKETS).map(([closing, opening]) => [closing, count(closing) - count(opening)]),
  )
}

function hrefOf(address: string): string | null {
  if (!URL.canParse(address)) return null
  const { protocol, hostname, href } = new URL(address)
  return ['http:', 'https:'].includes(protocol) && hostname !== '' ? href : null
}
