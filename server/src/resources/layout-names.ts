/** The layouts that the REST API accepts for a room. */
export const REST_LAYOUTS = [
  'grid-responsive',
  'grid-responsive-mobile',
  'highlight-1-responsive',
  '1x1',
  '2x1',
  '2x2',
  '5up',
  '3x3',
  '4x4',
  '5x5',
  '6x6',
  '8x8',
  '10x10',
] as const

/** One name of {@link REST_LAYOUTS}. */
export type RestLayout = (typeof REST_LAYOUTS)[number]

/** The layouts that a client may set in a running session: those of REST, and some that are useless at the start. */
export const LIVE_LAYOUTS = [
  ...REST_LAYOUTS,
  'full-screen',
  'screen-share',
  'presenter-dual-horizontal',
  '1up-top-left5',
  '1up-top-left7',
  '1up-top-left9',
  '1up-top-left16',
  '1x1-2x1',
] as const

/** One name of {@link LIVE_LAYOUTS}. */
export type LayoutName = (typeof LIVE_LAYOUTS)[number]

/** Default layout of a room. */
export const DEFAULT_LAYOUT = 'grid-responsive' satisfies RestLayout

/** Whether a running session accepts this layout. */
export function isLayoutName(name: string): name is LayoutName {
  return (LIVE_LAYOUTS as readonly string[]).includes(name)
}
