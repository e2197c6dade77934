import { existsSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { timePasses } from '../../server/src/testing/time-passes.ts'
import { faultsOf } from '../testing/looks.ts'
import { button, signInLink, usePageVisitors } from '../testing/page-visitors.ts'
import { useDeployment } from '../testing/use-deployment.ts'

const deployment = useDeployment({ name: 'dashboard-recordings', env: { PARLEY_SESSION_GRACE_SECONDS: '1' } })
const { complaints, visitor, join } = usePageVisitors(deployment, 'dashboard-recordings')

const DAY_MS = 24 * 60 * 60 * 1000

/** Recorded for this long, so that there is something to play. */
const RECORDED_MS = 4000

/** Changes the database of the server behind its back: tests do not wait for days. */
function change(statement: string, ...values: (string | number)[]): void {
  const db = new DatabaseSync(path.join(deployment.server.dataDir, 'parley.db'))
  db.exec('pragma busy_timeout = 5000')
  db.prepare(statement).run(...values)
  db.close()
}

async function record(room: string): Promise<void> {
  const page = await visitor()
  await join(page, room, 'Ada')
  await button(page, 'Start recording').click()
  await button(page, 'Stop recording').waitFor()
  await timePasses(RECORDED_MS, 'there is something to play')
  await button(page, 'Stop recording').click()
  await button(page, 'Start recording').waitFor()
  await button(page, 'Leave the room').click()
}

async function openRecordings(): Promise<Page> {
  const board = await visitor()
  await board.goto(signInLink(deployment))
  await board.getByRole('link', { name: 'Dashboard', exact: true }).click()
  await board.getByRole('link', { name: 'Recordings', exact: true }).first().click()
  await board.getByRole('heading', { name: 'Recordings', exact: true }).waitFor()
  return board
}

const listed = (page: Page) => page.getByRole('main').getByRole('listitem')
const timeOf = (page: Page) =>
  page.locator('video').evaluate((video) => (video as HTMLVideoElement).currentTime)

/** Opens a link where nobody signed in. @returns the status of the answer */
async function openedBy(page: Page, link: string): Promise<number> {
  return (await page.goto(link))?.status() ?? 0
}

test('a recording has a picture, plays, is shared until its link ends, and is deleted by the rule', async () => {
  const room = deployment.roomName()
  await record(room)
  const board = await openRecordings()
  await listed(board).filter({ hasText: 'Ready' }).waitFor()
  const picture = listed(board).locator('img')
  await expect
    .poll(() => picture.evaluate((image) => (image as HTMLImageElement).naturalWidth), { timeout: 10_000 })
    .toBe(640)
  expect(await faultsOf(board, 'recordings')).toEqual([])

  await listed(board).getByRole('link', { name: room }).click()
  await board.getByRole('heading', { name: room }).waitFor()
  await board.locator('video').evaluate((video) => {
    const player = video as HTMLVideoElement
    player.muted = true
    return player.play()
  })
  await expect.poll(() => timeOf(board), { timeout: 10_000 }).toBeGreaterThan(0.5)
  await button(board, /Ada joined/).waitFor()
  expect(await faultsOf(board, 'recording')).toEqual([])

  await button(board, 'Share').click()
  await board.getByLabel('The link works for').selectOption({ label: '1 hour' })
  const makeLink = async () => {
    await button(board, 'Make a link').click()
    const link = board.locator('[data-share-link]')
    await link.waitFor()
    return (await link.textContent()) ?? ''
  }
  const first = await makeLink()
  expect(await faultsOf(board, 'share')).toEqual([])
  const stranger = await visitor()
  expect(await openedBy(stranger, first)).toBeLessThan(300)
  await stranger.locator('video').evaluate((video) => {
    const player = video as HTMLVideoElement
    player.muted = true
    return player.play()
  })
  await expect.poll(() => timeOf(stranger), { timeout: 10_000 }).toBeGreaterThan(0.3)
  await button(board, 'Revoke').click()
  await button(board, 'Revoke').waitFor({ state: 'detached' })
  expect(await openedBy(await visitor(), first)).toBe(403)

  const second = await makeLink()
  expect(second).not.toBe(first)
  change('update recording_shares set expires_at = ?', Date.now() - 1)
  expect(await openedBy(await visitor(), second)).toBe(403)
  await button(board, 'Close').click()

  const { body } = await deployment.rest.send<{ data: { id: string; room_session_id: string }[] }>(
    'GET',
    '/room_recordings',
  )
  const [recording] = body.data
  const file = path.join(deployment.server.dataDir, 'recordings', `${recording?.id}.mp4`)
  expect(existsSync(file)).toBe(true)
  change('update room_recordings set finished_at = ?', Date.now() - 8 * DAY_MS)
  await board.getByRole('link', { name: 'Recordings', exact: true }).first().click()
  await button(board, 'How long they are kept').click()
  await board.getByLabel('Days').fill('7')
  await board.getByText(/^1 recording .* will be deleted$/).waitFor()
  expect(await faultsOf(board, 'retention')).toEqual([])
  await button(board, 'Save, and delete 1 recording').click()
  // The first look comes a while after the start of the server.
  await expect.poll(() => existsSync(file), { timeout: 30_000 }).toBe(false)
  await board.getByText('No recordings yet').waitFor()
  const history = `/room_sessions/${recording?.room_session_id}/events?page_size=1000`
  const events = await deployment.rest.send<{ data: { name: string }[] }>('GET', history)
  expect(events.body.data.map(({ name }) => name)).toContain('recording.expired')
  expect(complaints).toEqual([])
})

test('several recordings are deleted at once, and one says how many', async () => {
  const room = deployment.roomName()
  await record(room)
  const columns =
    'project_id, room_session_id, status, started_at, finished_at, file, created_at, updated_at, room_name'
  for (let copy = 0; copy < 5; copy++) {
    const id = `00000000-0000-4000-8000-00000000000${copy}`
    change(
      `insert into room_recordings (id, ${columns}) select ?, ${columns} from room_recordings where room_name = ? limit 1`,
      id,
      room,
    )
    change('update room_recordings set file = ? where id = ?', `${id}.mp4`, id)
  }
  const board = await openRecordings()
  await expect.poll(() => listed(board).count()).toBe(6)
  await board.getByText(/^[\d.]+ \wB used$/).waitFor()
  const { body: use } = await deployment.rest.send<{ used_in_bytes: number }>('GET', '/recording_quota')
  const allow = async (quota_in_bytes: number, title: string | RegExp) => {
    await deployment.rest.send('PUT', '/recording_quota', { quota_in_bytes })
    await board.reload()
    await board.getByText(title).waitFor()
    expect(await faultsOf(board, 'quota')).toEqual([])
  }
  await allow(Math.ceil(use.used_in_bytes / 0.855), '85% of the quota is used')
  await allow(1, 'No recording is started: the quota is used up')
  await expect.poll(() => listed(board).count()).toBe(6)
  await button(board, 'Select all shown').click()
  await listed(board).last().getByRole('checkbox').uncheck()
  await button(board, 'Delete 5 selected').click()
  await board.getByRole('dialog', { name: 'Delete 5 recordings?' }).waitFor()
  expect(await faultsOf(board, 'delete')).toEqual([])
  await button(board, 'Delete 5 recordings').click()
  await expect.poll(() => listed(board).count()).toBe(1)
  expect(complaints).toEqual([])
})
