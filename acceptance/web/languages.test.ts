import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { accessibilityFaults } from '../testing/axe.ts'
import { button, picturePlays, signInLink, usePageVisitors } from '../testing/page-visitors.ts'
import { useDeployment } from '../testing/use-deployment.ts'

const deployment = useDeployment({ name: 'languages' })
const { complaints, visitor } = usePageVisitors(deployment, 'languages')

/** The texts of an area, as the page has them. */
function textsOf(area: string, language: string): Record<string, string> {
  const file = new URL(`../../web/src/languages/${area}/${language}.json`, import.meta.url)
  return JSON.parse(readFileSync(file, 'utf8'))
}

async function invitation(): Promise<string> {
  const roomName = deployment.roomName()
  await deployment.rest.createRoom({ name: roomName })
  const token = await deployment.rest.createRoomToken({ room_name: roomName })
  return `${deployment.access.baseUrl}/join#${token}`
}

const pageIn = (page: Page) =>
  page.evaluate(() => {
    const { lang, dir, scrollWidth, clientWidth } = document.documentElement
    return { lang, dir, overflow: scrollWidth - clientWidth }
  })

/** Each text that a person can read or hear on the page, the names of controls included. */
const wordsOn = (page: Page) =>
  page.evaluate(() => {
    const shown = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const words = [...document.querySelectorAll('[aria-label]')].map((one) => one.getAttribute('aria-label'))
    while (shown.nextNode()) words.push(shown.currentNode.nodeValue)
    return words.map((text) => text?.trim())
  })

test('in Arabic a meeting on a phone goes from right to left, and everything is there', async () => {
  const [guest, meeting] = [textsOf('guest', 'ar'), textsOf('meeting', 'ar')]
  const page = await visitor({ locale: 'ar-EG', viewport: { width: 390, height: 844 } })
  await page.goto(await invitation())
  await page.getByLabel(guest['guest.your-name']!).fill('Ada')
  expect(await pageIn(page)).toEqual({ lang: 'ar', dir: 'rtl', overflow: 0 })
  expect(await accessibilityFaults(page)).toEqual([])
  await button(page, guest['guest.join-now']!).click()
  await picturePlays(page)
  for (const id of ['meeting.leave-room', 'meeting.people-show', 'meeting.more-about-room'])
    await button(page, meeting[id]!).waitFor()
  await button(page, guest['guest.microphone-turn-off']!).waitFor()
  expect(await pageIn(page)).toEqual({ lang: 'ar', dir: 'rtl', overflow: 0 })

  await button(page, meeting['meeting.more-about-room']!).click()
  await page.getByRole('menuitem', { name: guest['guest.language']! }).click()
  await page.getByRole('radio', { name: '日本語' }).click()
  await page.getByRole('dialog', { name: textsOf('guest', 'ja')['guest.language']! }).waitFor()
  expect(await pageIn(page)).toEqual({ lang: 'ja', dir: 'ltr', overflow: 0 })
  await picturePlays(page)
  await page.reload()
  await button(page, textsOf('meeting', 'ja')['meeting.leave-room']!).waitFor()
  expect(complaints).toEqual([])
})

test('in German no English is left', async () => {
  const english = ['guest', 'host'].flatMap((area) => {
    const german = textsOf(area, 'de')
    return Object.entries(textsOf(area, 'en')).filter(
      ([id, text]) => !/[{]/.test(text) && german[id] !== text,
    )
  })
  const page = await visitor({ locale: 'de-DE' })
  const englishOn = async () => {
    const words = await wordsOn(page)
    return english.filter(([, text]) => words.includes(text))
  }
  await page.goto(await invitation())
  await button(page, textsOf('guest', 'de')['guest.join-now']!).waitFor()
  expect(await englishOn()).toEqual([])
  await page.goto('about:blank')
  await page.goto(signInLink(deployment))
  await page.getByRole('navigation', { name: textsOf('host', 'de')['host.rooms']! }).waitFor()
  expect(await englishOn()).toEqual([])
  expect(await pageIn(page)).toEqual({ lang: 'de', dir: 'ltr', overflow: 0 })
  expect(complaints).toEqual([])
})
