import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, expect, test } from 'vitest'
import { newId } from '../../server/src/ids.ts'
import { makeColourFile } from '../../server/src/testing/media/sample-files.ts'
import { ObjectStoreServer } from '../../server/src/testing/object-store-server.ts'
import { faultsOf } from '../testing/looks.ts'
import { signInLink, usePageVisitors } from '../testing/page-visitors.ts'
import { useDeployment } from '../testing/use-deployment.ts'

const store = await ObjectStoreServer.startWithTls()
const deployment = useDeployment({
  name: 'stored-recordings',
  env: { ...store.env, PARLEY_S3_PUBLIC_ENDPOINT: store.origin },
})
const { complaints, visitor } = usePageVisitors(deployment, 'stored-recordings')
afterAll(() => store.stop())

/** A recording that is to be sent to the store. @returns its id */
async function addRecording(): Promise<string> {
  const id = newId()
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-film-'))
  const film = path.join(folder, 'film.mp4')
  await makeColourFile(film, { seconds: 3 })
  const { dataDir } = deployment.server
  copyFileSync(film, path.join(dataDir, 'recordings', `${id}.mp4`))
  rmSync(folder, { recursive: true })
  const db = new DatabaseSync(path.join(dataDir, 'parley.db'))
  db.exec('pragma busy_timeout = 5000')
  const now = Date.now()
  db.prepare(
    `insert into room_recordings (id, project_id, room_session_id, room_name, status, started_at, finished_at,
       duration_ms, size_in_bytes, file, place, created_at, updated_at)
     values (?, ?, ?, 'board', 'completed', ?, ?, 3000, 1000, ?, 'sending', ?, ?)`,
  ).run(id, deployment.access.projectId, newId(), now - 3000, now, `${id}.mp4`, now, now)
  db.close()
  return id
}

test('a recording in a store that browsers reach plays in the dashboard from the store, and is saved', async () => {
  const id = await addRecording()
  const board = await visitor()
  const fromStore: number[] = []
  board.on('response', (answer) => {
    if (answer.url().startsWith(`${store.origin}/`)) fromStore.push(answer.status())
  })
  const place = async () => {
    const { body } = await deployment.rest.send<{ uri: string }>('GET', `/room_recordings/${id}`)
    const answer = await board.request.get(body.uri, { maxRedirects: 0, failOnStatusCode: false })
    return answer.headers().location ?? ''
  }
  await expect.poll(place, { timeout: 20_000 }).toMatch(`${store.origin}/`)
  await board.goto(signInLink(deployment))
  await board.getByRole('link', { name: 'Dashboard', exact: true }).click()
  await board.getByRole('link', { name: 'Recordings', exact: true }).first().click()
  const picture = board.getByRole('main').getByRole('listitem').locator('img')
  await expect
    .poll(() => picture.evaluate((image) => (image as HTMLImageElement).naturalWidth), { timeout: 10_000 })
    .toBeGreaterThan(0)
  await board.getByRole('main').getByRole('listitem').getByRole('link', { name: 'board' }).click()
  const seconds = () =>
    board.locator('video').evaluate((video) => {
      const player = video as HTMLVideoElement
      player.muted = true
      if (player.paused) void player.play().catch(() => {})
      return player.currentTime
    })
  await expect.poll(seconds, { timeout: 10_000 }).toBeGreaterThan(0.5)
  expect(fromStore).toContain(206)
  const saved = board.waitForEvent('download')
  await board.getByRole('link', { name: 'Download' }).click()
  expect((await saved).suggestedFilename()).toMatch(/\.mp4$/)
  expect(await faultsOf(board, 'stored-recording')).toEqual([])
  expect(complaints.filter((complaint) => !complaint.includes(store.origin))).toEqual([])
})
