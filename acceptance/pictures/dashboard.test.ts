import type { Page } from 'playwright-core'
import { test } from 'vitest'
import { timePasses } from '../../server/src/testing/time-passes.ts'
import { makeConference } from '../testing/conference.ts'
import { button, signInLink } from '../testing/page-visitors.ts'
import { useDeployment } from '../testing/use-deployment.ts'
import { giveFiles, writePastMeetings } from './past-meetings.ts'
import { ADA, ARJUN, NAOMI, PAUL, YUKI } from './people.ts'
import { sharesSlide } from './shared-screen.ts'
import { useStudio } from './studio.ts'

const deployment = useDeployment({
  name: 'pictures-dashboard',
  env: {
    PARLEY_SESSION_GRACE_SECONDS: '1',
    // The picture of the server shows it.
    PARLEY_BACKUP_DIR: '/var/backups/parley',
    PARLEY_PRICE_MEMBER_MINUTE_720P: '0.0025',
    PARLEY_PRICE_RECORDED_MINUTE: '0.0045',
  },
})
const { pageOf, meet, picture } = useStudio()

/** Screens that show what the meeting and the past have left: address, heading and name of the picture. */
const SCREENS = [
  ['/rooms', 'Rooms', 'dashboard-rooms'],
  ['/conferences', 'Conferences', 'dashboard-conferences'],
  ['/sessions', 'Sessions', 'dashboard-sessions'],
  ['/recordings', 'Recordings', 'dashboard-recordings'],
  ['/streams', 'Streams', 'dashboard-streams'],
  ['/api-tokens', 'API tokens', 'dashboard-api-tokens'],
  ['/requests', 'Requests', 'dashboard-requests'],
  ['/console', 'Console', 'dashboard-console'],
  ['/users', 'Users', 'dashboard-users'],
  ['/audit-log', 'Audit log', 'dashboard-audit-log'],
  ['/server', 'Server', 'dashboard-server'],
] as const

const ROOMS = [
  ['stand-up', 'Daily stand-up'],
  ['design-review', 'Design review'],
  ['support', 'Support desk'],
  ['board', 'Board meeting'],
] as const

async function open(page: Page, address: string, heading: string): Promise<void> {
  await page.goto(`${deployment.access.baseUrl}/dashboard${address}`)
  await page.getByRole('heading', { name: heading, level: 1 }).waitFor()
  // The event stream keeps the network busy for ever.
  await timePasses(1500, 'figures and pictures have come')
}

test('the dashboard during a meeting and after it', { timeout: 300_000 }, async () => {
  const past = await writePastMeetings(deployment.server.dataDir, deployment.access.projectId)
  const name = 'spring-review'
  const settings = { display_name: 'Spring review', enable_room_previews: true }
  for (const [room, display_name] of ROOMS) {
    await deployment.rest.send('POST', '/rooms', { name: room, display_name })
  }
  const conference = await makeConference(deployment, { name, ...settings })
  const [ada, paul, naomi, arjun] = [
    await pageOf(ADA),
    await pageOf(PAUL),
    await pageOf(NAOMI),
    await pageOf(ARJUN),
  ]
  await sharesSlide(naomi)
  await meet(conference, [
    [ada, ADA],
    [paul, PAUL],
    [naomi, NAOMI],
    [arjun, ARJUN],
  ])
  const board = await pageOf(YUKI)
  await board.goto(signInLink(deployment))
  await board.getByRole('link', { name: 'Dashboard', exact: true }).click()
  await button(ada, 'Start recording').click()
  await button(ada, 'Stop recording').waitFor()
  await button(paul, 'Turn microphone off').click()
  await timePasses(12_000, 'the session has some length')
  await open(board, '', 'Overview')
  await picture(board, 'dashboard-overview')
  await open(board, '/live', 'Live')
  await timePasses(8000, 'the preview has come')
  await picture(board, 'dashboard-live')
  await board.getByRole('link', { name: 'Spring review' }).click()
  await timePasses(3000, 'the room is shown')
  await picture(board, 'dashboard-live-room')
  await button(naomi, 'Share your screen').click()
  await timePasses(12_000, 'the screen is shared for a while')
  await button(ada, 'Raise your hand').click()
  await timePasses(6000, 'the hand is up for a while')
  await button(ada, 'Raise your hand').click()
  await button(naomi, 'Stop sharing your screen').click()
  await timePasses(6000, 'they talk about it')
  await button(ada, 'Stop recording').click()
  await button(ada, 'Start recording').waitFor()
  for (const page of [arjun, paul, naomi, ada]) await button(page, 'Leave the room').click()

  await open(board, '/sessions', 'Sessions')
  await board.getByRole('row').filter({ hasText: name }).getByRole('link').click()
  await button(board, /The session ended/).waitFor()
  await button(board, /began to share/).click()
  await board.evaluate(() => window.scrollTo(0, 0))
  await timePasses(1500, 'the player shows that moment')
  await picture(board, 'dashboard-session')
  await open(board, '/recordings', 'Recordings')
  await board.getByRole('link', { name }).first().click()
  await board.locator('video').waitFor()
  await timePasses(2500, 'the player and its marks have come')
  await picture(board, 'dashboard-recording')
  await giveFiles(deployment.server.dataDir, past)
  for (const [address, heading, picturesName] of SCREENS) {
    await open(board, address, heading)
    await picture(board, picturesName)
  }
})
