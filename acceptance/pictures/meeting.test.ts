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

test('the lobby', async () => {
  for (const [name, display_name] of [
    ['design-review', 'Design review'],
    ['stand-up', 'Daily stand-up'],
    ['support', 'Support desk'],
  ])
    await deployment.rest.send('POST', '/rooms', { name, display_name })
  const page = await pageOf(LUCAS)
  await page.goto(signInLink(deployment))
  await page.getByRole('link', { name: /Design review/ }).click()
  await picture(page, 'lobby')
})
