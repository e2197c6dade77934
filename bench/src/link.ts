/**
 * Time from opening the link of a conference, on a device that has never seen the page, until the guest can press
 * "Join now". The network is that of this machine; how much the page loads is judged by its tests.
 */
import { PARTICIPANTS } from '../../acceptance/testing/colours.ts'
import { median } from '../median.ts'
import { type Browser, onAServer, type Stage } from '../on-a-server.ts'
import { report } from '../report.ts'

const VISITS = 15
/** The browser's own start. */
const WARM_UP_VISITS = 2
const LIMIT_MS = 200

declare global {
  interface Window {
    /** When the button was there, in ms since the navigation. */
    joinAtMs?: number
  }
}

/** Notes the moment at which the button appears, in the page itself. */
function watchForJoin(): void {
  const look = () => {
    const buttons = [...document.querySelectorAll('button')]
    if (buttons.some(({ textContent }) => textContent?.includes('Join now')))
      window.joinAtMs ??= performance.now()
  }
  new MutationObserver(look).observe(document, { subtree: true, childList: true, characterData: true })
}

async function linkOfConference({ rest }: Stage): Promise<string> {
  const made = await rest.send<{ id: string }>('POST', '/conferences', { name: 'link', display_name: 'Link' })
  const tokens = await rest.send<{ data: { name: string; url: string }[] }>(
    'GET',
    `/conferences/${made.body.id}/conference_tokens`,
  )
  const guest = tokens.body.data.find(({ name }) => name === 'guest')
  if (!guest) throw new Error(`the conference has no link for guests: ${JSON.stringify(tokens.body)}`)
  return guest.url
}

async function visitMs(browser: Browser, link: string): Promise<number> {
  const context = await browser.newContext({ ignoreHTTPSErrors: true, locale: 'en-GB' })
  try {
    const page = await context.newPage()
    await page.addInitScript(watchForJoin)
    await page.goto(link)
    await page.waitForFunction(() => window.joinAtMs !== undefined)
    return await page.evaluate(() => window.joinAtMs ?? Number.NaN)
  } finally {
    await context.close()
  }
}

await onAServer('link', {}, async (stage) => {
  const link = await linkOfConference(stage)
  const browser = await stage.launch(PARTICIPANTS[0])
  const times: number[] = []
  for (let visit = 0; visit < WARM_UP_VISITS + VISITS; visit++) {
    const time = await visitMs(browser, link)
    if (visit >= WARM_UP_VISITS) times.push(time)
  }
  console.log(`link to "Join now": ${times.map((time) => time.toFixed(0)).join(' ')} ms`)
  const what = 'link of a conference to "Join now", median'
  report({ what, value: median(times), unit: 'ms', limit: LIMIT_MS, direction: 'at most' })
})
