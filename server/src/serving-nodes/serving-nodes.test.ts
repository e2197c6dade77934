import { once } from 'node:events'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { systemClock } from '../clock.ts'
import type { Cluster } from '../cluster/cluster.ts'
import type { LegOptions } from '../media/channel.ts'
import type { MediaRoom } from '../media/media-plane.ts'
import { MediaWorkers } from '../media/media-workers.ts'
import { freeUdpPorts } from '../testing/free-udp-ports.ts'
import { CutLink } from '../testing/media/cut-link.ts'
import { natsNode } from '../testing/nats-nodes.ts'
import { sampleOffer } from '../testing/relay/sample-offer.ts'
import { type TemporaryNats, temporaryNats } from '../testing/temporary-nats.ts'
import { issueCertificate, makeAuthority } from '../tls/authority.ts'
import { type RunningServingNodes, startServingNodes } from './start-serving-nodes.ts'

const log = pino({ level: 'silent' })
const clock = systemClock

/** A node without a surface: media workers, and what serves viewers with the others. */
interface Node {
  cluster: Cluster
  media: MediaWorkers
  serving: RunningServingNodes
  server: Server
  /** The way over which other nodes reach it. */
  link: CutLink
}

let nats: TemporaryNats
let a: Node
let b: Node

async function start(name: string, mediaWorkers: number, media: number): Promise<Node> {
  const server = createServer(
    await issueCertificate(await makeAuthority(Date.now()), ['127.0.0.1'], Date.now()),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const link = await CutLink.open({ host: '127.0.0.1', port: (server.address() as AddressInfo).port })
  const workers = new MediaWorkers(
    {
      mediaWorkers,
      rtcPorts: await freeUdpPorts(2 * mediaWorkers),
      announcedIp: null,
      rtcTransport: 'libdatachannel',
      logLevel: 'silent',
      overloadStep: 'none',
      folders: [],
    },
    log,
  )
  const cluster = await natsNode(nats.url, 'viewers', name, {
    address: `127.0.0.1:${link.address.port}`,
    load: { media, sessions: 0, members: 0, servesViewers: true },
  })
  await workers.start()
  const serving = startServingNodes({ cluster, media: workers, spreadAudiencePercent: 0, clock, log })
  server.on('upgrade', (request, socket, head) => {
    if (!serving.takeOver(request, socket, head, () => {})) socket.destroy()
  })
  return { cluster, media: workers, serving, server, link }
}

async function stop(node: Node): Promise<void> {
  await node.serving.stop()
  await node.cluster.stop()
  await node.media.stop()
  node.link.close()
  node.server.close()
  node.server.closeAllConnections()
}

beforeAll(async () => {
  nats = await temporaryNats()
  ;[a, b] = await Promise.all([start('a', 1, 0), start('b', 2, -1)])
  await vi.waitFor(() => expect(a.cluster.nodes.others).toHaveLength(1), { timeout: 5000 })
}, 60_000)

afterAll(async () => {
  for (const node of [b, a]) if (node) await stop(node)
  await nats?.remove()
})

const OPTIONS = {
  quality: '720p',
  fps: 20,
  toneOnEntryAndExit: false,
  nameLabels: false,
  previewFile: null,
  hlsFolder: null,
} as const
const LEG = {
  offer: sampleOffer({ direction: 'recvonly' }),
  maySendAudio: false,
  maySendVideo: false,
  mayReceiveAudio: true,
  mayReceiveVideo: true,
}
let lastLeg = 0

/** @returns the UDP port that the answer names: each worker has its own */
async function connect(
  room: MediaRoom,
  may: Partial<LegOptions> = {},
): Promise<{ legId: string; port: number }> {
  const legId = `leg-${++lastLeg}`
  const { answer } = await room.connectLeg({ ...LEG, legId, memberId: `of ${legId}`, ...may })
  return { legId, port: Number(/^a=candidate:\S+ 1 UDP \d+ \S+ (\d+) typ host/im.exec(answer)?.[1]) }
}

const isAt = ({ media }: Node, port: number) =>
  media.workers.some(({ ports: { first, last } }) => port >= first && port <= last)
const legsAt = ({ media }: Node) => media.workers.map(({ load }) => load.legs)

/** Opens a room whose next viewers the other node serves. */
async function hall(sessionId: string, owner = a): Promise<MediaRoom> {
  const room = await owner.media.createRoom({ ...OPTIONS, sessionId })
  // The first viewers are served here until the other node has prepared.
  await expect.poll(async () => isAt(b, (await connect(room)).port), { timeout: 20_000 }).toBe(true)
  return room
}

test('viewers are served by all workers of another node, and members at home', {
  timeout: 40_000,
}, async () => {
  const room = await hall('shared')
  const member = await connect(room, { maySendAudio: true })
  expect(isAt(a, member.port)).toBe(true)
  const viewers = await Promise.all(Array.from({ length: 60 }, () => connect(room)))
  expect(viewers.every(({ port }) => isAt(b, port))).toBe(true)
  const ports = new Set(viewers.map(({ port }) => port))
  // The second worker joins in once it has less to do than the first one, whatever else this machine does.
  const oneMore = async () => ports.size === 2 || ports.add((await connect(room)).port).size === 2
  await expect.poll(oneMore, { timeout: 20_000 }).toBe(true)
  await expect.poll(() => Math.min(...legsAt(b)), { timeout: 5000 }).toBeGreaterThan(0)
  const { rooms, legs } = b.serving.served
  expect([rooms, legs, a.serving.served]).toEqual([1, expect.any(Number), { rooms: 0, legs: 0 }])
  expect(legs).toBeGreaterThanOrEqual(viewers.length)
  await room.closeLeg(viewers[0]?.legId ?? '')
  expect(b.serving.served).toEqual({ rooms: 1, legs: legs - 1 })
  await room.close()
  await expect.poll(() => Math.max(...legsAt(b)), { timeout: 5000 }).toBe(0)
  expect(b.serving.served).toEqual({ rooms: 0, legs: 0 })
})

test('an offer that cannot be answered is refused and leaves nothing', async () => {
  const room = await hall('refused')
  await expect(connect(room, { offer: 'no sdp' })).rejects.toThrow()
  await connect(room)
  await room.close()
})

/** Notes the legs of the room that are gone. */
function legsGone(room: MediaRoom): Set<string> {
  const gone = new Set<string>()
  room.on('legGone', ({ legId }) => gone.add(legId))
  return gone
}

test('a node has nothing of a room any more once its owner is gone', { timeout: 60_000 }, async () => {
  const c = await start('c', 1, 0)
  await hall('orphaned', c)
  await expect.poll(() => Math.max(...legsAt(b)), { timeout: 5000 }).toBeGreaterThan(0)
  await c.cluster.stop()
  await expect.poll(() => Math.max(...legsAt(b)), { timeout: 20_000 }).toBe(0)
  await stop({ ...c, cluster: { ...c.cluster, stop: async () => {} } })
})

test('a link that is interrupted costs nobody his seat, and one that stays away costs a reconnect', {
  timeout: 60_000,
}, async () => {
  const d = await start('d', 1, 0)
  const room = await hall('linked', d)
  const { legId } = await connect(room)
  const gone = legsGone(room)
  const again = once(d.server, 'upgrade')
  d.link.cut()
  await again
  expect((await room.connectLeg({ ...LEG, legId, memberId: `of ${legId}` })).answer).toContain('candidate')
  expect(gone).toEqual(new Set())
  d.link.close()
  await expect.poll(() => gone.has(legId), { timeout: 15_000 }).toBe(true)
  // The room cannot be served there for a while.
  expect(isAt(d, (await connect(room)).port)).toBe(true)
  await room.close()
  await stop(d)
})

test('viewers have to come again when their node drops them, and are served at home meanwhile', {
  timeout: 60_000,
}, async () => {
  const room = await hall('dropped')
  const viewers = await Promise.all(Array.from({ length: 20 }, () => connect(room)))
  const gone = legsGone(room)
  await b.serving.stop()
  await expect.poll(() => viewers.every(({ legId }) => gone.has(legId)), { timeout: 10_000 }).toBe(true)
  // It does not answer any more, although it still tells that it is there.
  expect(isAt(a, (await connect(room)).port)).toBe(true)
  await room.setTiles([])
  await room.close()
})
