import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../testing/eventually.ts'
import { readHlsPlaylist } from '../testing/hls-playlist.ts'
import { usePageVisitors } from '../testing/page-visitors.ts'
import type { Rest } from '../testing/rest.ts'
import type { Deployment } from '../testing/use-deployment.ts'
import { ThreeNodes } from './three-nodes.ts'

let all: ThreeNodes
let at: Map<string, Rest>
beforeAll(async () => {
  all = await ThreeNodes.start('cluster-hls', { PARLEY_SESSION_GRACE_SECONDS: '1' })
  at = new Map(all.names.map((name) => [name, all.restOf(name)]))
})
afterAll(async () => {
  for (const rest of at?.values() ?? []) await rest.close()
  await all?.stop()
})

const deployment = {
  get access() {
    return all.access
  },
  get rest() {
    return all.rest
  },
} as unknown as Deployment
const { visitor, join } = usePageVisitors(deployment, 'cluster-hls')

const HEADERS = ['content-type', 'content-length', 'cache-control', 'access-control-allow-origin']

/** The same answer of each node, by its own address. */
async function fromEach(link: string) {
  const { pathname, search } = new URL(link)
  return Promise.all(
    all.names.map(async (name) => {
      const rest = at.get(name)
      if (!rest) throw new Error(`there is no node ${name}`)
      return rest.download(`https://localhost:${all.ports.get(name)}${pathname}${search}`)
    }),
  )
}

test('any node answers for the playlist and segments of one, and a page goes on when that is killed', {
  timeout: 180_000,
}, async () => {
  const name = `hls-${Date.now().toString(36)}`
  await all.rest.createRoom({ name, enable_hls: true })
  const ada = await visitor()
  await join(ada, name, 'Ada')
  const sessions = await all.rest.send<{ data: { id: string; hls_url: string }[] }>(
    'GET',
    '/room_sessions?status=in-progress',
  )
  const link = sessions.body.data[0]?.hls_url ?? ''
  const owner = await all.ownerOf(name)
  await eventually(
    'two segments',
    async () => {
      const { status, body } = await all.rest.download(link)
      // The room has begun just now. At first there is nothing to watch.
      if (status === 503) return 0
      return readHlsPlaylist(String(body)).segments.length
    },
    (count) => count > 2,
  )

  const text = String((await all.rest.download(link)).body)
  const playlist = readHlsPlaylist(text)
  const [segment] = playlist.segments
  for (const file of ['init.mp4', segment?.uri ?? '', segment?.parts[0]?.uri ?? '']) {
    const answers = await fromEach(new URL(file, link).href)
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    const [first, ...others] = answers
    for (const { headers, body } of others) {
      expect(body.equals(first?.body ?? Buffer.of())).toBe(true)
      for (const header of HEADERS) expect(headers[header]).toBe(first?.headers[header])
    }
  }
  // What comes next is waited for by way of any node.
  const next = playlist.mediaSequence + playlist.segments.length + 1
  for (const { status, headers, body } of await fromEach(`${link}?_HLS_msn=${next}&_HLS_part=0`)) {
    expect([status, headers['cache-control']]).toEqual([200, 'public, max-age=24'])
    expect(String(body)).toContain(`"${next}.0.m4s"`)
  }
  expect((await fromEach(new URL('99999.m4s', link).href)).map(({ status }) => status)).toEqual([
    404, 404, 404,
  ])
  expect((await fromEach(`${link}?_HLS_msn=99999`)).map(({ status }) => status)).toEqual([422, 422, 422])
  expect((await fromEach(link.replace(/[^/]+\/index/, 'forged/index'))).map(({ status }) => status)).toEqual([
    403, 403, 403,
  ])

  const watcher = await visitor({ withoutDevices: true })
  await watcher.goto(`${all.access.baseUrl}/watch#${link}`)
  const seconds = () => watcher.locator('video').evaluate((video) => (video as HTMLVideoElement).currentTime)
  await expect.poll(seconds, { timeout: 20_000 }).toBeGreaterThan(3)
  await all.node(owner).killEverything()
  const killedAtMs = Date.now()
  await watcher.getByRole('status').waitFor({ timeout: 60_000 })
  await watcher.getByRole('status').waitFor({ state: 'detached', timeout: 60_000 })
  console.log(`the picture is back ${Date.now() - killedAtMs} ms after the end of the node`)
  const backAt = await seconds()
  await expect.poll(seconds, { timeout: 20_000 }).toBeGreaterThan(backAt + 1)
  expect(await all.ownerOf(name)).not.toBe(owner)
  const left = all.names.filter((one) => one !== owner)
  for (const one of left) {
    const { pathname } = new URL(link)
    const answer = await at.get(one)?.download(`https://localhost:${all.ports.get(one)}${pathname}`)
    expect(answer?.status).toBe(307)
  }
})
