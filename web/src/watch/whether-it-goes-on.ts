/**
 * Asks once how it is with a playlist that cannot be played on.
 * @returns `waits` when it may be there later, `new` when it leads to another one, `over` when it is there no more, `same` otherwise
 */
export async function whetherItGoesOn(playlist: string): Promise<'waits' | 'new' | 'over' | 'same'> {
  try {
    const { status, redirected } = await fetch(playlist, { cache: 'no-store' })
    if (status >= 500 || status === 429) return 'waits'
    if (status >= 400) return 'over'
    return redirected ? 'new' : 'same'
  } catch {
    return 'waits'
  }
}
