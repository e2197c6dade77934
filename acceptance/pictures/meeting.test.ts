import type { Page } from 'playwright-core'
import { test } from 'vitest'
import { timePasses } from '../../server/src/testing/time-passes.ts'
import { makeConference } from '../testing/conference.ts'
import { button, previewShows, signInLink } from '../testing/page-visitors.ts'
import { useDeployment } from '../testing/use-deployment.ts'
import { ADA, ARJUN, LUCAS, NAOMI, PAUL, YUKI } from './people.ts'
import { sharesSlide } from './shared-screen.ts'
import { PHONE, useStudio } from './studio.ts'

const deployment = useDeployment({ name: 'pictures-meeting' })
const { pageOf, meet, picture } = useStudio()

async function writes(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Write a message' }).fill(text)
  await page.keyboard.press('Enter')
  await page.getByRole('log', { name: 'Messages' }).getByText(text.slice(0, 10)).waitFor()
}

test('the meeting, on a desktop and a phone, with a shared screen', async () => {
  const conference = await makeConference(deployment, {
    name: 'spring-review',
    display_name: 'Spring review',
  })
  const ada = await pageOf(ADA)
  const [paul, naomi] = [await pageOf(PAUL), await pageOf(NAOMI)]
  const arjun = await pageOf(ARJUN, { viewport: PHONE, hasTouch: true, isMobile: true, deviceScaleFactor: 2 })
  await sharesSlide(naomi)
  await meet(conference, [
    [ada, ADA],
    [paul, PAUL],
    [naomi, NAOMI],
    [arjun, ARJUN],
  ])
  for (const page of [ada, paul, arjun]) await button(page, 'Turn microphone off').click()
  await timePasses(8000, 'cameras reach their full quality')
  await ada.mouse.move(640, 300)
  await picture(ada, 'meeting')
  await picture(arjun, 'meeting-phone')
  await button(naomi, 'Share your screen').click()
  await timePasses(8000, 'the shared screen is sharp')
  await picture(ada, 'meeting-share')
  await button(naomi, 'Stop sharing your screen').click()
  await button(paul, 'Show chat').click()
  await writes(paul, 'The numbers are in https://example.org/spring')
  await button(naomi, /^Show chat/).click()
  await writes(naomi, 'Thank you! Shall we go through them together?')
  await button(ada, /^Show chat/).click()
  await writes(ada, 'Yes, give me a minute.')
  await picture(ada, 'meeting-chat')
  await button(ada, 'Raise your hand').click()
  await button(ada, 'Show people').click()
  await ada.getByLabel('hand raised, number 1').waitFor()
  await picture(ada, 'meeting-people')
  await button(ada, 'Hide people').click()
  await button(ada, 'Devices: camera, microphone and speaker').click()
  await ada.getByRole('menuitem', { name: 'Settings and tests' }).click()
  await ada.getByRole('dialog').waitFor()
  await timePasses(1000, 'the dialog has come')
  await picture(ada, 'meeting-settings')
})

test('the page of a conference, before one joins', async () => {
  const { guest } = await makeConference(deployment, {
    name: 'town-hall',
    display_name: 'Town hall',
    description: 'The quarter in half an hour, then your questions.',
    light_primary: '#7a3b2e',
    light_background: '#fbf6f0',
  })
  const page = await pageOf(YUKI)
  await page.goto(guest.url)
  await page.getByLabel('Your name').fill(YUKI.name)
  await previewShows(page)
  await timePasses(1000, 'the meter of the microphone has moved')
  await picture(page, 'conference')
})

test('somebody who waits to be let in', async () => {
  const conference = await makeConference(deployment, {
    name: 'board',
    display_name: 'Board meeting',
    waiting_room: true,
  })
  const [ada, yuki] = [await pageOf(ADA), await pageOf(YUKI)]
  await meet(conference, [[ada, ADA]])
  await yuki.goto(conference.guest.url)
  await yuki.getByLabel('Your name').fill(YUKI.name)
  await previewShows(yuki)
  await button(yuki, 'Join now').click()
  await yuki.getByText('Wait until somebody lets you in').waitFor()
  await picture(yuki, 'waiting-room')
  await ada.getByText(`${YUKI.name} wants to come in`).waitFor()
  await picture(ada, 'waiting-room-moderator')
})

test('a conference in the page of a shop', async () => {
  const shop = 'https://shop.example'
  await deployment.rest.send('PUT', '/embedding', { origins: [shop] })
  const conference = await makeConference(deployment, { name: 'advice', display_name: 'Advice' })
  const [paul, naomi] = [await pageOf(PAUL), await pageOf(NAOMI)]
  const { baseUrl } = deployment.access
  await naomi.route(`${shop}/**`, (route) =>
    route.fulfill({ contentType: 'text/html', body: shopPage(baseUrl, conference.guest.token) }),
  )
  await meet(conference, [[paul, PAUL]])
  await naomi.goto(`${shop}/`)
  const inside = naomi.frameLocator('iframe[title="Conference"]')
  // The button moves until the devices are listed.
  await inside.getByLabel('Speaker').waitFor()
  await inside.getByRole('button', { name: 'Join now' }).click()
  await inside.getByRole('button', { name: 'Leave the room' }).waitFor()
  await timePasses(8000, 'cameras reach their full quality')
  await picture(naomi, 'embed')
})

/** A page of another site, with a conference in three lines. */
const shopPage = (baseUrl: string, token: string) => `<!doctype html><html lang="en"><title>Lamps</title>
  <style>body { margin: 0; font: 17px/1.5 Georgia, serif; background: #faf7f2; color: #2b2118 }
    header { padding: 28px 48px; border-bottom: 1px solid #e2d8c8; display: flex; gap: 36px; align-items: baseline }
    header b { font-size: 26px } main { padding: 28px 48px } h1 { font-weight: 500; margin: 0 0 20px }
    parley-conference { display: block; height: 540px; border-radius: 16px; overflow: hidden }</style>
  <header><b>Lamplight &amp; Sons</b><span>Lamps</span><span>Repairs</span><span>Advice</span></header>
  <main><h1>Talk to somebody who knows lamps</h1>
    <script src="${baseUrl}/embed.js"></script>
    <parley-conference token="${token}" user-name="Naomi Clark" theme="light" device-picker></parley-conference></main>`

test('signing in, and the lobby', async () => {
  for (const [name, display_name] of [
    ['design-review', 'Design review'],
    ['stand-up', 'Daily stand-up'],
    ['support', 'Support desk'],
  ])
    await deployment.rest.send('POST', '/rooms', { name, display_name })
  const page = await pageOf(LUCAS)
  await page.goto(deployment.access.baseUrl)
  await page.getByLabel('API token').waitFor()
  await picture(page, 'sign-in')
  await page.goto(signInLink(deployment))
  await page.getByRole('link', { name: /Design review/ }).click()
  await picture(page, 'lobby')
})
