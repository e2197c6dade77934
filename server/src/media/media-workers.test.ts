import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import fc from 'fast-check'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freeUdpPorts } from '../testing/free-udp-ports.ts'
import { sampleOffer } from '../testing/relay/sample-offer.ts'
import type { LegOptions } from './channel.ts'
import { type MediaRoom, MediaWorkerGone } from './media-plane.ts'
import { MediaWorkers, slicePorts } from './media-workers.ts'

describe('the slices of the port range', () => {
  test('cover it without overlap, one per worker as long as there are ports', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 65535 }),
        fc.integer({ min: 1, max: 500 }),
        fc.integer({ min: 1, max: 64 }),
        (first, count, mediaWorkers) => {
          const last = first + count - 1
          const slices = slicePorts({ mediaWorkers, rtcPorts: { first, last } })
          expect(slices).toHaveLength(Math.min(mediaWorkers, count))
          expect(slices[0]?.first).toBe(first)
          expect(slices.at(-1)?.last).toBe(last)
          for (const [index, slice] of slices.entries()) {
            expect(slice.last).toBeGreaterThanOrEqual(slice.first)
            if (index > 0) expect(slice.first).toBe((slices[index - 1]?.last ?? 0) + 1)
          }
        },
      ),
    )
  })
})

describe('two media workers', async () => {
  const workers = new MediaWorkers(
    {
      mediaWorkers: 2,
      rtcPorts: await freeUdpPorts(10),
      announcedIp: null,
      rtcTransport: 'libdatachannel',
      logLevel: 'silent',
      overloadStep: 'none',
      folders: [],
    },
    pino({ level: 'silent' }),
  )
  const options = {
    quality: '720p',
    fps: 20,
    toneOnEntryAndExit: false,
    nameLabels: false,
    previewFile: null,
    hlsFolder: null,
  } as const
  let lastRoom = 0
  const openRoom = (): Promise<MediaRoom> =>
    workers.createRoom({ ...options, sessionId: `session-${++lastRoom}` })

  /** The start of a process, and what it loads, is work, too, and counts for some seconds. */
  async function calm(): Promise<void> {
    const seen = [1, 1, 1]
    const look = () => {
      seen.push(Math.max(...workers.workers.flatMap(({ load }) => [load.cpu, load.loop])))
      return Math.max(...seen.slice(-4))
    }
    await expect.poll(look, { interval: 1000, timeout: 20_000 }).toBeLessThan(0.15)
  }

  beforeAll(() => workers.start(), 30_000)
  afterAll(() => workers.stop())

  test('load what rooms need once somebody may join', async () => {
    const haveLoaded = () =>
      ownWorkers().map((pid) => readFileSync(`/proc/${pid}/maps`, 'utf8').includes('node-av.node'))
    expect(haveLoaded()).toEqual([false, false])
    workers.prepare()
    await expect.poll(haveLoaded, { timeout: 20_000 }).toEqual([true, true])
    // No pages of 2 MiB, to which libx264 would round its pictures up.
    for (const pid of ownWorkers())
      expect(readFileSync(`/proc/${pid}/status`, 'utf8')).toMatch(/THP_enabled:\s+0/)
  })

  test('share the rooms between them', { timeout: 30_000 }, async () => {
    await calm()
    const rooms = await Promise.all([openRoom(), openRoom()])
    const pids = new Set(rooms.map((room) => pidOf(room)))
    expect(pids.size).toBe(2)
    await Promise.all(rooms.map((room) => room.close()))
  })

  test('yield to the process that answers requests, with all their threads', async () => {
    const room = await openRoom()
    const threads = readdirSync(`/proc/${pidOf(room)}/task`).map(Number)
    const own = getPriority()
    expect(threads.length).toBeGreaterThan(1)
    for (const thread of threads) expect(getPriority(thread)).toBeGreaterThanOrEqual(Math.min(own + 1, 19))
    // Those that compose pictures yield to packets and sound, too.
    const priorities = () =>
      readdirSync(`/proc/${pidOf(room)}/task`).map((thread) => getPriority(Number(thread)))
    await expect.poll(() => Math.max(...priorities()), { timeout: 20_000 }).toBe(Math.min(own + 10, 19))
    await room.close()
  })

  test('see no secret of the environment, and may gain no privileges', async () => {
    process.env.PARLEY_API_TOKEN = 'a-secret-token'
    const confined = new MediaWorkers(
      {
        mediaWorkers: 1,
        rtcPorts: await freeUdpPorts(2),
        announcedIp: null,
        rtcTransport: 'libdatachannel',
        logLevel: 'silent',
        overloadStep: 'none',
        folders: [],
      },
      pino({ level: 'silent' }),
    )
    delete process.env.PARLEY_API_TOKEN
    await confined.start()
    const room = await confined.createRoom({ ...options, sessionId: 'confined' })
    const environment = readFileSync(`/proc/${pidOf(room)}/environ`, 'utf8')
    const status = readFileSync(`/proc/${pidOf(room)}/status`, 'utf8')
    await confined.stop()
    expect(environment).not.toContain('a-secret-token')
    expect(environment).not.toMatch(/\0PARLEY_(?!WORKER_SETTINGS)/)
    expect(status).toMatch(/NoNewPrivs:\s+1/)
    expect(status).toMatch(/CapEff:\s+0+\n/)
  })

  test('cannot pretend to have ended', async () => {
    const forgery = { event: 'exit', params: { reason: 'forged', wanted: true } }
    const forge = `process.on('message', () => process.send(${JSON.stringify(forgery)}))`
    const { NODE_OPTIONS } = process.env
    process.env.NODE_OPTIONS = `--import data:text/javascript,${encodeURIComponent(forge)}`
    const forgers = new MediaWorkers(
      {
        mediaWorkers: 1,
        rtcPorts: await freeUdpPorts(2),
        announcedIp: null,
        rtcTransport: 'libdatachannel',
        logLevel: 'silent',
        overloadStep: 'none',
        folders: [],
      },
      pino({ level: 'silent' }),
    )
    if (NODE_OPTIONS === undefined) delete process.env.NODE_OPTIONS
    else process.env.NODE_OPTIONS = NODE_OPTIONS
    await forgers.start()
    const room = await forgers.createRoom({ ...options, sessionId: 'forged' })
    let died = false
    room.on('died', () => {
      died = true
    })
    await room.setTiles([])
    await room.setTiles([])
    expect(died).toBe(false)
    await forgers.stop()
  })

  test('refuse a room that exists, and one that does not', async () => {
    const room = await openRoom()
    await expect(workers.createRoom({ ...options, sessionId: room.sessionId })).rejects.toThrow(/exists/)
    await room.close()
    await expect(room.setTiles([])).rejects.toThrow(/no media room/)
  })

  test('tell the rooms of a killed worker, and only those, and are whole again at once', async () => {
    const one = await openRoom()
    // A worker that has just started may be so busy that the first rooms all go to the other one.
    let other = await openRoom()
    while (pidOf(other) === pidOf(one)) other = await openRoom()
    let otherDied = false
    other.on('died', () => {
      otherDied = true
    })
    const died = once(one, 'died')
    process.kill(pidOf(one), 'SIGKILL')
    expect(await died).toEqual([{ reason: 'killed by SIGKILL' }])
    await expect(one.setTiles([])).rejects.toThrow(MediaWorkerGone)
    expect(otherDied).toBe(false)
    await other.setTiles([])
    const again = await openRoom()
    await again.setTiles([])
    await workers.start()
    expect(workers.ready).toBe(true)
    await Promise.all([other.close(), again.close()])
  })

  describe('serve the viewers of one room together', { timeout: 30_000 }, () => {
    const VIEWERS = 150
    const NOTHING = { maySendAudio: false, maySendVideo: false }
    const ALL = { maySendAudio: true, maySendVideo: true, mayReceiveAudio: true, mayReceiveVideo: true }
    let lastLeg = 0

    /** @returns the UDP port that the answer names: each worker has one */
    async function connect(
      room: MediaRoom,
      may: Partial<LegOptions> = NOTHING,
      legId = `leg-${++lastLeg}`,
    ): Promise<{ legId: string; port: string }> {
      const offer = sampleOffer({ direction: may === NOTHING ? 'recvonly' : 'sendrecv' })
      const { answer } = await room.connectLeg({ legId, memberId: `of ${legId}`, offer, ...ALL, ...may })
      return { legId, port: /^a=candidate:\S+ 1 UDP \d+ \S+ (\d+) typ host/im.exec(answer)?.[1] ?? '' }
    }

    /** Opens a room with so many viewers that each worker has some. */
    async function hall() {
      await calm()
      const room = await openRoom()
      const { port } = await connect(room, ALL)
      const viewers = await Promise.all(Array.from({ length: VIEWERS }, () => connect(room)))
      const elsewhere = viewers.filter((viewer) => viewer.port !== port)
      expect(elsewhere.length).toBeGreaterThan(10)
      expect(elsewhere.length).toBeLessThan(VIEWERS)
      return { room, port, viewers, elsewhere }
    }

    /** The worker that only serves this room. */
    async function servingPid(room: MediaRoom): Promise<number> {
      const others: MediaRoom[] = []
      do others.push(await openRoom())
      while (others.every((other) => pidOf(other) === pidOf(room)))
      await Promise.all(others.map((other) => other.close()))
      return pidOf(others.at(-1) ?? room)
    }

    const legsOfEach = () => workers.workers.map(({ load }) => load.legs)

    test('who sends stays where the room is mixed, all legs stay where they are, and end with the room', async () => {
      const { room, port, viewers } = await hall()
      const members = await Promise.all(Array.from({ length: 5 }, () => connect(room, ALL)))
      expect(new Set(members.map((member) => member.port))).toEqual(new Set([port]))
      for (const viewer of viewers.slice(-20))
        expect((await connect(room, NOTHING, viewer.legId)).port).toBe(viewer.port)
      await expect.poll(() => Math.min(...legsOfEach()), { timeout: 3000 }).toBeGreaterThan(0)
      await room.close()
      await expect.poll(() => Math.max(...legsOfEach()), { timeout: 3000 }).toBe(0)
    })

    test('the end of a serving worker ends its legs and nothing else, and newcomers are served', async () => {
      const { room, elsewhere } = await hall()
      const gone: string[] = []
      let died = false
      room.on('legGone', ({ legId }) => gone.push(legId))
      room.on('died', () => {
        died = true
      })
      process.kill(await servingPid(room), 'SIGKILL')
      // The server may not have noticed yet.
      const newcomers = Promise.all(Array.from({ length: 30 }, () => connect(room)))
      const refused = expect(connect(room, NOTHING, 'impatient')).rejects.toThrow(/closed/)
      await room.closeLeg('impatient')
      await refused
      for (const { port } of await newcomers) expect(port).not.toBe('')
      await expect.poll(() => gone.length).toBe(elsewhere.length)
      expect(gone.sort()).toEqual(elsewhere.map(({ legId }) => legId).sort())
      await room.setTiles([])
      expect(died).toBe(false)
      await workers.start()
      await room.close()
    })

    test('the end of the mixing worker ends the room, and leaves nothing at the serving one', async () => {
      const { room } = await hall()
      const gone: string[] = []
      room.on('legGone', ({ legId }) => gone.push(legId))
      const died = once(room, 'died')
      await expect.poll(() => Math.min(...legsOfEach()), { timeout: 3000 }).toBeGreaterThan(0)
      process.kill(pidOf(room), 'SIGKILL')
      await died
      await workers.start()
      await expect.poll(() => Math.max(...legsOfEach()), { timeout: 4000 }).toBe(0)
      expect(gone).toEqual([])
    })
  })

  test('answer a bad offer with an error and keep nothing of it', async () => {
    const room = await openRoom()
    const leg = { legId: 'leg-1', memberId: 'member-1', offer: 'no sdp' }
    const may = { maySendAudio: true, maySendVideo: true, mayReceiveAudio: true, mayReceiveVideo: true }
    await expect(room.connectLeg({ ...leg, ...may })).rejects.toThrow()
    await room.closeLeg('leg-1')
    await room.close()
  })
})

/** Process id of the worker of a room. Needed only by tests that kill it. */
/** The worker processes of this process. */
function ownWorkers(): number[] {
  const threads = readdirSync('/proc/self/task')
  const children = threads.flatMap((thread) =>
    readFileSync(`/proc/self/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  )
  return children.filter((pid) =>
    readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('media-worker/main.ts'),
  )
}

function pidOf(room: MediaRoom): number {
  const { pid } = (room as MediaRoom & { worker: { pid: number } }).worker
  return pid
}
