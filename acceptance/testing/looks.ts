import type { Page } from 'playwright-core'
import { accessibilityFaults } from './axe.ts'

/** A phone upright and sideways, a tablet and a desktop, each with the theme in which it is looked at. */
const LOOKS = [
  { width: 390, height: 844, colorScheme: 'dark' },
  { width: 844, height: 390, colorScheme: 'light' },
  { width: 1024, height: 768, colorScheme: 'dark' },
  { width: 1920, height: 1080, colorScheme: 'light' },
] as const

/**
 * What is wrong with a screen: faults of accessibility, and what is wider than the screen. With PARLEY_LOOKS, a folder, it
 * leaves a picture of each look there.
 * @param name of the pictures
 */
export async function faultsOf(page: Page, name = 'screen'): Promise<string[]> {
  const found: string[] = []
  for (const { width, height, colorScheme } of LOOKS) {
    await page.setViewportSize({ width, height })
    await page.emulateMedia({ colorScheme })
    const faults = await accessibilityFaults(page)
    const widest = await page.evaluate(() => document.documentElement.scrollWidth)
    if (widest > width) faults.push(`the page is ${widest} pixels wide`)
    found.push(...faults.map((fault) => `${width}x${height}, ${colorScheme}: ${fault}`))
    const folder = process.env.PARLEY_LOOKS
    if (folder) await page.screenshot({ path: `${folder}/${name}-${width}x${height}.png` })
  }
  await page.setViewportSize({ width: 1280, height: 800 })
  return found
}
