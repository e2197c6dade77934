import { createReadStream } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Locator } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { run } from '../testing/commands.ts'
import { eventually } from '../testing/eventually.ts'
import { button, usePageVisitors } from '../testing/page-visitors.ts'
import { useDeployment } from '../testing/use-deployment.ts'

/** Only servers of this suite's own may play files of this machine. */
const deployment = useDeployment({ name: 'page-playback', env: { PARLEY_ALLOW_PRIVATE_TARGETS: '1' } })
const { complaints, visitor, join } = usePageVisitors(deployment, 'page-playback')

const lengthSeconds = 40
let folder: string
let files: Server
let link: string

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'parley-page-playback-'))
  const file = path.join(folder, 'film.mp4')
  const picture = `testsrc2=size=320x180:rate=15:duration=${lengthSeconds}`
  const sound = `sine=frequency=440:duration=${lengthSeconds}`
  const inputs = ['-f', 'lavfi', '-i', picture, '-f', 'lavfi', '-i', sound]
  const codecs = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '15', '-pix_fmt', 'yuv420p', '-c:a', 'aac']
  await run('ffmpeg', ['-y', '-loglevel', 'error', ...inputs, ...codecs, '-movflags', '+faststart', file])
  files = await serve(file)
  link = `http://127.0.0.1:${(files.address() as AddressInfo).port}/film.mp4`
})

afterAll(async () => {
  files?.closeAllConnections()
  files?.close()
  if (folder) await rm(folder, { recursive: true })
})

/** Serves one file over HTTP, with ranges, so that it can be sought in. */
async function serve(file: string): Promise<Server> {
  const { size } = await stat(file)
  const server = createServer((request, response) => {
    const [, from] = /^bytes=(\d+)-/.exec(request.headers.range ?? '') ?? []
    const start = Number(from ?? 0)
    response.writeHead(from === undefined ? 200 : 206, {
      'content-type': 'video/mp4',
      'accept-ranges': 'bytes',
      'content-length': size - start,
      ...(from !== undefined && { 'content-range': `bytes ${start}-${size - 1}/${size}` }),
    })
    createReadStream(file, { start })
      .on('error', () => response.destroy())
      .pipe(response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

/** The position that a row shows, in seconds. */
async function positionIn(row: Locator): Promise<number> {
  const text = (await row.getByText(/^\d+:\d\d/).textContent()) ?? ''
  const [, minutes = '0', seconds = '0'] = /^(\d+):(\d\d)/.exec(text) ?? []
  return Number(minutes) * 60 + Number(seconds)
}

test('a link is played for everybody, paused, moved, made louder and stopped', async () => {
  const roomName = deployment.roomName()
  const [ada, grace] = [await visitor(), await visitor()]
  await join(ada, roomName, 'Ada')
  await join(grace, roomName, 'Grace')
  for (const page of [ada, grace]) {
    await button(page, 'More about the room').click()
    await page.getByRole('menuitem', { name: 'Play a link' }).click()
  }
  await ada.getByLabel('Link to play').fill(link)
  await ada.keyboard.press('Enter')
  const rowOn = (page: typeof ada) => page.getByRole('listitem', { name: 'film.mp4' })
  const [row, elsewhere] = [rowOn(ada), rowOn(grace)]
  await row.waitFor()
  await elsewhere.waitFor()
  expect(await ada.getByLabel('Link to play').inputValue()).toBe('')
  await eventually(
    'it plays',
    () => positionIn(row),
    (seconds) => seconds >= 2,
  )

  await row.getByRole('button', { name: 'Pause film.mp4' }).click()
  await elsewhere.getByRole('button', { name: 'Resume film.mp4' }).waitFor()
  const paused = await positionIn(elsewhere)
  await elsewhere.getByRole('button', { name: '10 seconds forward' }).click()
  await eventually(
    'it is ahead',
    () => positionIn(row),
    (seconds) => seconds >= paused + 8,
  )
  await elsewhere.getByRole('button', { name: 'Resume film.mp4' }).click()
  await row.getByRole('button', { name: 'Pause film.mp4' }).waitFor()

  const volume = row.getByRole('slider', { name: 'Volume of film.mp4' })
  await volume.focus()
  await ada.keyboard.press('ArrowRight')
  await eventually(
    'the other sees the volume',
    () => elsewhere.getByRole('slider', { name: 'Volume of film.mp4' }).getAttribute('aria-valuenow'),
    (value) => value === '5',
  )
  await row.getByRole('button', { name: 'Stop film.mp4' }).click()
  await elsewhere.waitFor({ state: 'detached' })
  await row.waitFor({ state: 'detached' })
})

test('nothing failed inside the pages, and they asked nobody but the server', () => {
  expect(complaints).toEqual([])
})
