import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type Browser, chromium } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { administerAs } from '../testing/administration.ts'
import { accessibilityFaults } from '../testing/axe.ts'
import { findProgram } from '../testing/programs.ts'
import { freePort, ServerProcess } from '../testing/server-process.ts'

let server: ServerProcess
let home: string
let plainUrl: string
const browsers: Browser[] = []

beforeAll(async () => {
  const port = await freePort()
  plainUrl = `http://localhost:${port}/`
  home = await mkdtemp(path.join(tmpdir(), 'parley-home-'))
  server = await ServerProcess.start('trust', { PARLEY_HTTP_PORT: String(port) })
})
afterAll(async () => {
  for (const browser of browsers) await browser.close()
  await server?.stop()
  await server?.remove()
  await rm(home, { recursive: true, force: true })
})

/** The browser of a user with that home folder. It minds certificates. */
async function visitor() {
  const browser = await chromium.launch({
    executablePath: await findProgram(['chromium', 'chromium-browser', 'google-chrome']),
    args: ['--no-sandbox'],
    env: { ...process.env, HOME: home } as Record<string, string>,
  })
  browsers.push(browser)
  return browser.newPage()
}

const trust = (...options: string[]) =>
  administerAs(server, { HOME: home }, 'trust', '--only', 'browsers', ...options)

test('the plain page leads a browser that trusts the authority to the meeting', async () => {
  const before = await visitor()
  await before.goto(plainUrl)
  const complaint = await before.goto(server.access.baseUrl).catch((error: Error) => error.message)
  expect(complaint).toContain('ERR_CERT_AUTHORITY_INVALID')

  expect(await trust()).toMatch(/^added +Chromium/)
  const page = await visitor()
  const errors: string[] = []
  page.on('console', (message) => errors.push(message.text()))
  await page.goto(plainUrl)
  await page.getByRole('heading', { name: 'Let your browser trust this server' }).waitFor()
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download parley-authority.crt' }).click(),
  ])
  expect(file.suggestedFilename()).toBe('parley-authority.crt')
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [390, 1280]) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width, height: 800 })
      expect(await accessibilityFaults(page), `${colorScheme}, ${width}`).toEqual([])
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
    }
  }
  expect(errors).toEqual([])
  await page.getByRole('link', { name: /^Open localhost/ }).click()
  await page.getByLabel('Project id').waitFor()
  expect(page.url()).toMatch(new RegExp(`^${server.access.baseUrl}/`))

  expect(await trust('--remove')).toMatch(/^removed +Chromium/)
})
