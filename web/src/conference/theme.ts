import { formatColour, inkOn, mix, parseColour, type Rgb, readable, tinted } from './colours.ts'

const PARTS = ['primary', 'background', 'foreground', 'success', 'negative'] as const
type Part = (typeof PARTS)[number]
export type Theme = 'light' | 'dark'

/** The ten colours of a conference: `#RRGGBB`. */
export type ConferenceColours = Readonly<Record<`${Theme}_${Part}`, string | null>>

/** What the API fills in, in both themes. Whoever leaves them gets the page's own colours. */
export const UNSET: Readonly<Record<Part, string>> = {
  primary: '#044EF4',
  background: '#FFFFFF',
  foreground: '#1D2127',
  success: '#17BB58',
  negative: '#F42C50',
}
/** The page's own grounds, for the contrast of colours that are set alone. */
export const OWN_GROUND: Readonly<Record<Theme, Rgb>> = { light: [246, 248, 248], dark: [19, 23, 26] }

/**
 * The page's colours that a conference replaces in one theme, as CSS custom properties. Where a text would have less than
 * 4.5 to 1 on its ground, its colour is corrected.
 */
export function themeOf(colours: ConferenceColours, theme: Theme): Readonly<Record<string, string>> {
  const set = (part: Part): Rgb | null => {
    const colour = colours[`${theme}_${part}`]
    return colour?.toUpperCase() === UNSET[part] ? null : parseColour(colour)
  }
  const [background, foreground] = [set('background'), set('foreground')]
  const hasGround = background !== null || foreground !== null
  // One of the two alone gets the other that goes with it.
  const ground = background ?? (foreground ? inkOn(foreground) : OWN_GROUND[theme])
  const ink = readable(foreground ?? inkOn(ground), [ground])
  const replaced: Record<string, Rgb> = {
    ...(hasGround && groundsOf(ground, ink)),
    ...accentOf(set('primary'), ground, ink),
    ...successOf(set('success'), ground),
    ...dangerOf(set('negative'), ground, ink),
  }
  return Object.fromEntries(
    Object.entries(replaced).map(([name, colour]) => [`--color-${name}`, formatColour(colour)]),
  )
}

function groundsOf(ground: Rgb, ink: Rgb): Record<string, Rgb> {
  const raised = tinted(ground, mix(ground, ink, 0.05))
  const hover = tinted(ground, mix(ground, ink, 0.09))
  const grounds = [ground, raised, hover]
  return {
    canvas: ground,
    surface: tinted(ground, mix(ground, ink, 0.03)),
    raised,
    sunken: raised,
    hover,
    line: mix(ground, ink, 0.16),
    'line-strong': readable(mix(ground, ink, 0.5), grounds, 3),
    ink: readable(ink, grounds),
    'ink-soft': readable(mix(ink, ground, 0.3), grounds),
  }
}

function accentOf(primary: Rgb | null, ground: Rgb, ink: Rgb): Record<string, Rgb> {
  if (!primary) return {}
  const soft = tinted(ground, mix(ground, primary, 0.14))
  const accent = readable(primary, [ground, soft, tinted(ground, mix(ground, ink, 0.09))])
  const strong = mix(accent, ink, 0.15)
  const onAccent = inkOn(accent)
  return {
    accent,
    'accent-strong': readable(strong, [onAccent]),
    'accent-soft': soft,
    'on-accent': onAccent,
    focus: accent,
  }
}

function successOf(success: Rgb | null, ground: Rgb): Record<string, Rgb> {
  if (!success) return {}
  const soft = tinted(ground, mix(ground, success, 0.14))
  return { live: readable(success, [ground, soft]), 'live-soft': soft }
}

function dangerOf(negative: Rgb | null, ground: Rgb, ink: Rgb): Record<string, Rgb> {
  if (!negative) return {}
  const soft = tinted(ground, mix(ground, negative, 0.12))
  const onDanger = inkOn(negative)
  return {
    danger: negative,
    'danger-strong': readable(mix(negative, ink, 0.15), [onDanger]),
    'danger-soft': soft,
    'danger-ink': readable(negative, [ground, soft]),
    'on-danger': onDanger,
  }
}
