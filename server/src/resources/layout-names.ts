/** The layouts that the REST interface accepts for a room. */
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

/** The layouts that a client may ask a running session for: those of REST, and some that make no sense to start with. */
export const LIVE_LAYOUTS = [
  ...REST_LAYOUTS,
  'full-screen',
  'screen-share',
  'presenter-dual-horizontal',
] as const

/** One name of {@link LIVE_LAYOUTS}. */
export type LayoutName = (typeof LIVE_LAYOUTS)[number]

/** What a room has unless it says otherwise. */
export const DEFAULT_LAYOUT = 'grid-responsive' satisfies RestLayout

/** Whether a running session may be asked for this layout. */
export function isLayoutName(name: string): name is LayoutName {
  return (LIVE_LAYOUTS as readonly string[]).includes(name)
}
