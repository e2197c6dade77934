/**
 * Simulated browsers, in a separate process. Each enters over the relay's socket. The process answers each request over
 * IPC with the request's id.
 */
import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { RelayClient } from '../../server/src/testing/relay/relay-client.ts'
import { answerRequests } from '../answer-requests.ts'
import { ivfFrames } from '../media/film.ts'
import { opusPacket, type Sound } from '../media/opus-packets.ts'
import type { CrowdRequest, FilmedCamera, Joining } from './crowd-process.ts'
import type { Downlink } from './downlink.ts'
import { LoopbackLink, pollLinks } from './loopback-link.ts'
import { Member } from './member.ts'
import { obey, type SizedCamera } from './obedient-camera.ts'
import { Viewer } from './viewer.ts'

const TICK_MS = 5
const TICKS_PER_VIEWER = 12
/** Offset between the sending times of two members, within the time of a frame. */
const OFFSET_MS = 3
/** A server under load may take longer than one in a test. */
const ANSWER_MS = 20_000
const RETRY_MS = 500
const LONGEST_STAY_MS = 3_600_000

interface Participant {
  downlink: Downlink
  offer(): Promise<string>
  accept(answer: string): void
  tick(nowMs: number): void
  close(): void
}

/** Somebody who is in, with their socket. */
interface Entered {
  participant: Participant
  client: RelayClient
}

const members: Member[] = []
const viewers: Viewer[] = []
/** In the order of their joins. */
const all: Entered[] = []
const films = new Map<string, Promise<Buffer[]>>()
const sounds = new Map<Sound, Buffer>()

function filmOf(file: string): Promise<Buffer[]> {
  const film = films.get(file) ?? readFile(file).then(ivfFrames)
  films.set(file, film)
  return film
}

function soundOf(kind: Sound): Buffer {
  const packet = sounds.get(kind) ?? opusPacket(kind)
  sounds.set(kind, packet)
  return packet
}

/** What the camera sends, the most first. */
async function picturesOf({ less = [], ...most }: FilmedCamera): Promise<[SizedCamera, ...SizedCamera[]]> {
  const read = async ({ file, height, fps }: FilmedCamera) => ({ frames: await filmOf(file), height, fps })
  return [await read(most), ...(await Promise.all(less.map(read)))]
}

async function memberAt(
  client: RelayClient,
  { camera, sound }: Extract<Joining, { as: 'member' }>,
): Promise<Member> {
  const films = camera && (await picturesOf(camera))
  const index = members.length
  const ssrcs = { audio: 1000 + 2 * index, video: 1001 + 2 * index }
  const recorded = {
    camera: films?.[0] ?? null,
    sound: sound && { kind: sound, packet: soundOf(sound) },
  }
  const member = new Member(`member-${index}`, ssrcs, recorded, index * OFFSET_MS)
  members.push(member)
  if (films && films.length > 1) obey(client, member, films)
  return member
}

function viewer(): Viewer {
  const opened = new Viewer(new LoopbackLink())
  viewers.push(opened)
  return opened
}

/** @throws if the server does not admit them */
async function join(joining: Joining): Promise<void> {
  const entered = await enter(joining)
  all.push(entered)
  if (joining.as === 'viewer' && joining.returns) void keepIn(joining, entered)
}

/** @throws if the server does not admit them */
async function enter(joining: Joining): Promise<Entered> {
  const client = await RelayClient.connect(joining.url, joining.token)
  const participant = joining.as === 'member' ? await memberAt(client, joining) : viewer()
  await client.join(undefined, {}, await participant.offer())
  const { params } = await client.event('webrtc.message', {
    right: ({ method }) => method === 'verto.answer',
    waitMs: ANSWER_MS,
  })
  participant.accept((params as { sdp: string }).sdp)
  return { participant, client }
}

/** Comes again whenever the call is ended, without the pause of a page. */
async function keepIn(joining: Joining, entered: Entered): Promise<void> {
  for (;;) {
    const ended = ({ method }: Record<string, unknown>) => method === 'verto.bye'
    await entered.client.event('webrtc.message', { right: ended, waitMs: LONGEST_STAY_MS })
    viewers.splice(viewers.indexOf(entered.participant as Viewer), 1)
    entered.participant.close()
    entered.client.drop()
    await again(joining, entered)
  }
}

async function again(joining: Joining, entered: Entered): Promise<void> {
  for (;;) {
    try {
      Object.assign(entered, await enter(joining))
      return
    } catch {
      await delay(RETRY_MS)
    }
  }
}

function leave(): void {
  for (const { participant, client } of all) {
    participant.close()
    client.drop()
  }
  members.length = viewers.length = all.length = 0
}

async function handle(request: CrowdRequest): Promise<unknown> {
  switch (request.method) {
    case 'join':
      return join(request.joining)
    case 'seen':
      return all.map(({ participant }) => participant.downlink.seen)
    case 'restartSound':
      for (const { participant } of all) participant.downlink.restartSound()
      return null
    case 'leave':
      return leave()
  }
}

let ticks = 0
setInterval(() => {
  const nowMs = performance.now()
  ticks++
  for (const member of members) member.tick(nowMs)
  pollLinks()
  // A part of the viewers each time, so that they do not all report at once.
  for (let index = ticks % TICKS_PER_VIEWER; index < viewers.length; index += TICKS_PER_VIEWER)
    viewers[index]!.tick(nowMs)
}, TICK_MS)

answerRequests(handle)
