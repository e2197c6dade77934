/** What a single key does in a meeting. */
export type Shortcut = 'microphone' | 'camera' | 'hand' | 'chat' | 'talk' | 'list'

/** The key of each, as the browser names the character that it writes. */
export const SHORTCUT_KEYS: Readonly<Record<Shortcut, string>> = {
  microphone: 'm',
  camera: 'v',
  hand: 'h',
  chat: 'c',
  talk: ' ',
  list: '?',
}

/** A press, as far as it matters. */
export interface Press {
  key: string
  ctrlKey: boolean
  metaKey: boolean
  altKey: boolean
  repeat: boolean
  defaultPrevented: boolean
  target: EventTarget | null
}

/**
 * The shortcut of a press. None while somebody writes, with a modifier, from a held key, or where the key already does
 * something: space presses the button that has the focus.
 */
export function shortcutOf(press: Press): Shortcut | null {
  if (press.ctrlKey || press.metaKey || press.altKey || press.repeat || press.defaultPrevented) return null
  const wanted = press.key.toLowerCase()
  const found = (Object.keys(SHORTCUT_KEYS) as Shortcut[]).find((name) => SHORTCUT_KEYS[name] === wanted)
  if (!found || isWriting(press.target)) return null
  if (found === 'talk' && isPressable(press.target)) return null
  return found
}

const closest = (target: EventTarget | null, selector: string): boolean =>
  target !== null && 'closest' in target && (target as Element).closest(selector) !== null

/** Menus find their items by letters, so keys there are writing too. */
const isWriting = (target: EventTarget | null) =>
  closest(
    target,
    'input, textarea, select, [contenteditable=""], [contenteditable=true], [role=menu], [role=listbox]',
  )

const isPressable = (target: EventTarget | null) =>
  closest(target, 'button, a, summary, video, audio, [role=button], [role=log], [role=switch], [role=slider]')
