import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { button, type PageVisitors, people, picturePlays } from '../testing/page-visitors.ts'
import type { Deployment } from '../testing/use-deployment.ts'

const NOTE = 'The meeting was interrupted for a moment and goes on'

/** A meeting of two people on the server's own page. */
export interface MeetingOnThePage {
  ada: Page
  grace: Page
  roomName: string
  sessionId: string
  /** What Grace took to open the page, to join, and to see the picture. A busy machine takes longer for everything. */
  joinMs: number
}

/**
 * Ada sends everything. Grace joined with sound and then turned it off.
 * @param settings of the room
 */
export async function meetingOfTwo(
  deployment: Deployment,
  { visitor, join }: Pick<PageVisitors, 'visitor' | 'join'>,
  settings: Record<string, unknown> = {},
): Promise<MeetingOnThePage> {
  const { rest } = deployment
  const roomName = deployment.roomName()
  await rest.createRoom({ name: roomName, ...settings })
  const [ada, grace] = [await visitor(), await visitor()]
  await join(ada, roomName, 'Ada')
  const startedAtMs = Date.now()
  await join(grace, roomName, 'Grace')
  await picturePlays(grace)
  const joinMs = Date.now() - startedAtMs
  await button(grace, 'Turn microphone off').click()
  await button(grace, 'Turn microphone on').waitFor()
  await picturePlays(ada)
  const [session] = await rest.sessionsOf(roomName)
  return { ada, grace, roomName, sessionId: session?.id ?? '', joinMs }
}

/** Checks that both are in the room with the same state as before, in another session. */
export async function expectToGoOn({ rest }: Deployment, meeting: MeetingOnThePage): Promise<void> {
  const { ada, grace, roomName, sessionId } = meeting
  await button(ada, 'Turn microphone off').waitFor()
  await button(ada, 'Turn camera off').waitFor()
  await button(grace, 'Turn microphone on').waitFor()
  await button(grace, 'Turn camera off').waitFor()
  await button(ada, 'Show people').click()
  await people(ada).filter({ hasText: 'Grace' }).getByLabel('microphone off').waitFor()
  expect(await people(ada).filter({ hasText: 'Ada' }).getByLabel('microphone off').count()).toBe(0)
  const [session] = await rest.sessionsOf(roomName)
  expect(session?.status).toBe('in-progress')
  expect(session?.id).not.toBe(sessionId)
  const members = await rest.members(session?.id ?? '')
  expect(members.map(({ name, leave_time }) => `${name} ${leave_time}`).sort()).toEqual([
    'Ada null',
    'Grace null',
  ])
  await Promise.all([picturePlays(ada), picturePlays(grace)])
}

/** Resolves with the time at which the page says that the meeting goes on, in Unix milliseconds. */
export async function toldToGoOn(page: Page): Promise<number> {
  await page.getByText(NOTE).first().waitFor({ timeout: 30_000 })
  return Date.now()
}
