/**
 * Members whose cameras show the time, in a separate process. They enter over the relay's socket like browsers. The
 * process answers each request over IPC with the request's id.
 */
import { RelayClient } from '../../server/src/testing/relay/relay-client.ts'
import { Member, type Recorded } from '../load/member.ts'
import { opusPacket } from '../media/opus-packets.ts'
import { CLOCK_FPS, clockClip, clockFrameAt } from './clock-clip.ts'
import type { PeopleRequest } from './people-process.ts'

const TICK_MS = 5

interface Person {
  member: Member
  client: RelayClient
  callID: string
}

const people = new Map<number, Person>()
let lastPerson = 0
const recorded: Promise<Recorded> = clockClip().then((frames) => ({
  camera: { frames, fps: CLOCK_FPS, frameAt: clockFrameAt },
  sound: { kind: 'tone', packet: opusPacket('tone') },
}))

async function join(url: string, token: string): Promise<number> {
  const id = ++lastPerson
  const ssrcs = { audio: 1000 + 2 * id, video: 1001 + 2 * id }
  const member = new Member(`person-${id}`, ssrcs, await recorded, 0)
  try {
    const client = await RelayClient.connect(url, token)
    const { callID } = await client.join(undefined, {}, await member.offer())
    const { params } = (await client.vertoEvent('verto.answer')) as { params: { sdp: string } }
    member.accept(params.sdp)
    people.set(id, { member, client, callID })
    return id
  } catch (error) {
    member.close()
    throw error
  }
}

function vanish(id: number): void {
  const person = people.get(id)
  people.delete(id)
  person?.member.close()
  person?.client.drop()
}

async function leave(id: number): Promise<void> {
  const person = people.get(id)
  await person?.client.verto('verto.bye', { dialogParams: { callID: person.callID } }).catch(() => {})
  vanish(id)
}

async function handle(request: PeopleRequest): Promise<unknown> {
  switch (request.method) {
    case 'ready':
      await recorded
      return null
    case 'join':
      return join(request.url, request.token)
    case 'leave':
      return leave(request.person)
    case 'vanish':
      return vanish(request.person)
    case 'framesReceived':
      return people.get(request.person)?.member.downlink.seen.pictures ?? 0
  }
}

setInterval(() => {
  const nowMs = performance.now()
  for (const { member } of people.values()) member.tick(nowMs)
}, TICK_MS)

process.on('message', (message) => {
  const { id, request } = message as { id: number; request: PeopleRequest }
  handle(request).then(
    (result) => process.send?.({ id, result: result ?? null }),
    (error: Error) => process.send?.({ id, error: error.message }),
  )
})
