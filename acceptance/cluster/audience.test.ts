import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { timePasses } from '../../server/src/testing/time-passes.ts'
import { launchBrowser } from '../testing/browser.ts'
import type { Persona } from '../testing/colours.ts'
import { eventually } from '../testing/eventually.ts'
import { button, picturePlays, usePageVisitors } from '../testing/page-visitors.ts'
import { Participant } from '../testing/participant.ts'
import { hears, seatsOf, seesEachInItsTile } from '../testing/seen-and-heard.ts'
import { BLUE, type Deployment, GREEN, RED, YELLOW } from '../testing/use-deployment.ts'
import { ThreeNodes } from './three-nodes.ts'

/** Until the latest load of a node shows what runs there. */
const LOAD_SHOWS_MS = 5000
/** A node counts as gone after 5 s; a page has to ask, join and connect then. */
const LONGEST_RETURN_MS = 12_000

let all: ThreeNodes
const browsers = new Map<Persona, Browser>()
const people: Participant[] = []

beforeAll(async () => {
  all = await ThreeNodes.start('cluster-audience', { PARLEY_SPREAD_AUDIENCE_AT: '0' })
})
afterAll(async () => {
  await Promise.all(people.map((each) => each.leaveAndClose()))
  await Promise.all([...browsers.values()].map((browser) => browser.close()))
  await all?.stop()
})

/** The three nodes behind their balancer, as the tools for pages know a deployment. */
const deployment = {
  get access() {
    return all.access
  },
} as unknown as Deployment
const visitors = usePageVisitors(deployment, 'cluster-audience')

async function enter(persona: Persona, token: Record<string, unknown>): Promise<Participant> {
  const browser = browsers.get(persona) ?? (await launchBrowser(persona))
  browsers.set(persona, browser)
  const participant = await Participant.open(browser, persona.name)
  people.push(participant)
  await participant.join(
    await all.rest.createRoomToken({ user_name: persona.name, room_name: ROOM, ...token }),
  )
  return participant
}

const ROOM = 'hall'
const AUDIENCE = { join_as: 'audience' }

/** The nodes that the owner has had serve viewers, in that order. */
const servingNodes = (owner: string): string[] =>
  all
    .node(owner)
    .logLines()
    .filter((line) => line.includes('node serves viewers of a room'))
    .map((line) => /"node":"(\w+)"/.exec(line)?.[1] ?? '')

/** Waits until the viewer has lost its call by `end`, and joins again as a page does. @returns after how long, in ms */
async function comesBack(viewer: Participant, end: () => unknown): Promise<number> {
  const since = viewer.events.mark()
  const startMs = Date.now()
  await end()
  await viewer.events.waitFor('room.left', { since, timeoutMs: LONGEST_RETURN_MS })
  await viewer.join(viewer.token)
  return Date.now() - startMs
}

test('viewers are served by other nodes, and come back when those are killed or stopped', {
  timeout: 240_000,
}, async () => {
  await all.rest.createRoom({ name: ROOM })
  const red = await enter(RED, {})
  const green = await enter(GREEN, {})
  const owner = await all.ownerOf(ROOM)
  const seats = seatsOf([
    [red, RED],
    [green, GREEN],
  ])
  await timePasses(LOAD_SHOWS_MS, 'the load of the nodes is measured')

  // The first one asks the other nodes to prepare, and is served by the owner.
  const near = await enter(YELLOW, AUDIENCE)
  await seesEachInItsTile(near, seats)
  expect(servingNodes(owner)).toEqual([])
  const ready = () =>
    all
      .node(owner)
      .logLines()
      .filter((line) => line.includes('node is ready to serve viewers')).length
  await eventually(
    'the other nodes are ready',
    async () => ready(),
    (count) => count === 2,
  )

  const far = await enter(BLUE, AUDIENCE)
  const [first = ''] = servingNodes(owner)
  expect(all.names).toContain(first)
  expect(first).not.toBe(owner)
  await seesEachInItsTile(far, seats)
  await Promise.all([near, far].map((viewer) => hears(viewer, [RED, GREEN], [])))
  await far.moreFrames(20)
  const page = await visitors.visitor({ withoutDevices: true })
  const token = await all.rest.createRoomToken({ room_name: ROOM, user_name: 'Grace', ...AUDIENCE })
  await page.goto(`${all.access.baseUrl}/join#${token}`)
  await button(page, 'Join to watch and listen').click()
  await button(page, 'Leave the room').waitFor()
  await picturePlays(page)

  const killedMs = await comesBack(far, () => all.node(first).killEverything())
  process.stdout.write(`back ${killedMs} ms after the end of the serving node\n`)
  await seesEachInItsTile(far, seats)
  await hears(far, [RED, GREEN], [])

  const second = servingNodes(owner).at(-1) ?? ''
  expect([owner, first]).not.toContain(second)
  const stoppedMs = await comesBack(far, () => process.kill(all.node(second).pid, 'SIGTERM'))
  process.stdout.write(`back ${stoppedMs} ms after SIGTERM of the serving node\n`)
  // Whoever served it, a page comes back by itself.
  await picturePlays(page)
  await seesEachInItsTile(far, seats)
  await hears(far, [RED, GREEN], [])

  for (const each of [red, green, near]) expect(each.events.tail()).not.toContain('room.left')
  expect(await all.ownerOf(ROOM)).toBe(owner)
})
