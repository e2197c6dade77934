/**
 * Somebody in the audience who asks again and again for a packet that has just come, and measures how long the answer
 * takes. It is a separate process that does nothing else. It answers each request over IPC with the request's id.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { RelayClient } from '../../server/src/testing/relay/relay-client.ts'
import { answerRequests } from '../answer-requests.ts'
import { NativeLink } from './native-link.ts'
import type { ProberRequest } from './prober-process.ts'
import { Viewer } from './viewer.ts'

/** The server sends each repetition twice, and the second one later. */
const COPIES = 2
/** An answer that takes longer counts as this long. */
const LONGEST_MS = 1000
const TICK_MS = 50
/** Also the precision of the measured times. */
const POLL_MS = 1
const PAUSE_MS = 10

let viewer: Viewer | null = null

async function join(url: string, token: string): Promise<void> {
  const opened = new Viewer(new NativeLink('prober'))
  const client = await RelayClient.connect(url, token)
  await client.join(undefined, {}, await opened.offer())
  const { params } = (await client.vertoEvent('verto.answer')) as { params: { sdp: string } }
  opened.accept(params.sdp)
  setInterval(() => opened.tick(performance.now()), TICK_MS)
  setInterval(() => opened.link.poll(), POLL_MS)
  viewer = opened
}

/** @returns milliseconds until the first copy of the newest packet came again */
async function probe({ downlink }: Viewer): Promise<number> {
  const sentAtMs = performance.now()
  let copies = 0
  let firstMs = LONGEST_MS
  const { promise, resolve } = Promise.withResolvers<void>()
  downlink.onRepeated = (nowMs) => {
    copies++
    if (copies === 1) firstMs = nowMs - sentAtMs
    if (copies === COPIES) resolve()
  }
  viewer?.ask(downlink.video.highest & 0xffff)
  await Promise.race([promise, delay(LONGEST_MS)])
  downlink.onRepeated = null
  return firstMs
}

async function probeFor(seconds: number): Promise<number[]> {
  if (!viewer) throw new Error('nobody has joined')
  const answers: number[] = []
  const endMs = performance.now() + seconds * 1000
  while (performance.now() < endMs) {
    answers.push(await probe(viewer))
    // Not in step with the pictures.
    await delay(PAUSE_MS * (1 + Math.random()))
  }
  return answers
}

function handle(request: ProberRequest): Promise<unknown> {
  return request.method === 'join' ? join(request.url, request.token) : probeFor(request.seconds)
}

answerRequests(handle)
