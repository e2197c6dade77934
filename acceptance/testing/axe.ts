import axe from 'axe-core'
import type { Page } from 'playwright-core'

/** The rules that a page of ours keeps: WCAG 2.2 A and AA, and what axe counts as good practice. */
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** Elements of one rule that a report names at most. */
const NAMED = 3

/** What a look at a page can leave out. */
export interface AxeOptions {
  /** CSS selectors of parts that are not judged, such as a page of others in a frame. */
  without?: string[]
}

/**
 * Looks for faults of accessibility in the page as it is now, once its transitions have ended: a text that still fades
 * in has not its contrast yet.
 * @returns a line for each rule that is broken: its name, what it wants, and the elements. Expect `[]`.
 */
export async function accessibilityFaults(page: Page, { without = [] }: AxeOptions = {}): Promise<string[]> {
  await transitionsEnd(page)
  // The browser runs this outside the content security policy of the page, which stays as it is.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source)
  const context = { exclude: without.map((selector) => [selector]) }
  const options = { runOnly: RULES, resultTypes: ['violations' as const] }
  const found = await page.evaluate(
    ([where, how]) => window.axe.run(where.exclude.length > 0 ? where : document, how),
    [context, options] as const,
  )
  return found.violations.map(describe)
}

/** Those that never end, such as a turning wheel, are not waited for. */
const transitionsEnd = (page: Page): Promise<unknown> =>
  page.waitForFunction(() =>
    document
      .getAnimations()
      .every(
        ({ playState, effect }) =>
          playState !== 'running' || effect?.getComputedTiming().endTime === Number.POSITIVE_INFINITY,
      ),
  )

function describe({ id, help, nodes }: axe.Result): string {
  const named = nodes.slice(0, NAMED).map(({ html, any, all, none }) => {
    const why = [...any, ...all, ...none].map(({ message }) => message).slice(0, 1)
    return `${html.slice(0, 160)} (${why})`
  })
  const more = nodes.length > NAMED ? ` and ${nodes.length - NAMED} more` : ''
  return `${id}: ${help}: ${named.join('; ')}${more}`
}

declare global {
  interface Window {
    axe: typeof axe
  }
}
