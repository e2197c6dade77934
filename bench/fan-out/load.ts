/**
 * The browsers' side of the fan-out bench: one publisher with camera and microphone, and many receivers. It runs in a
 * separate process so that its CPU time is not counted. It answers each request over IPC with the request's id.
 */
import { Member } from '../load/member.ts'
import { NativeLink } from '../load/native-link.ts'
import { Viewer } from '../load/viewer.ts'
import { opusPacket } from '../media/opus-packets.ts'
import type { LoadRequest, Received } from './load-process.ts'
import { FRAMES_PER_SECOND, noiseFrames } from './traffic.ts'

const TICK_MS = 5
const TICKS_PER_VIEWER = 10
/** Each receiver asks once more for one packet of so many, as behind a network that loses 1 %. */
const ASK_AGAIN_EVERY = 100

const viewers = new Map<string, Viewer<NativeLink>>()
let publisher: Member | null = null

function newPublisher(): Member {
  const camera = { frames: noiseFrames(), fps: FRAMES_PER_SECOND }
  const sound = { kind: 'tone', packet: opusPacket('tone') } as const
  publisher = new Member('publisher', { audio: 4711, video: 4712 }, { camera, sound }, 0)
  return publisher
}

function newViewer(name: string): Viewer<NativeLink> {
  const viewer = new Viewer(new NativeLink(name))
  viewer.downlink.askAgainEvery = ASK_AGAIN_EVERY
  viewers.set(name, viewer)
  return viewer
}

function answer(peer: string, offer: string): Promise<string> {
  const { downlink, link } = newViewer(peer)
  downlink.negotiated(offer)
  return link.answer(offer)
}

function received(): Received[] {
  return [...viewers.values()].map(({ downlink: { seen } }) => ({
    packets: seen.picturePackets + seen.soundPackets + seen.repeatedPackets,
    sound: seen.soundPackets,
    repeated: seen.repeatedPackets,
  }))
}

async function handle(request: LoadRequest): Promise<unknown> {
  switch (request.method) {
    case 'offerToSend':
      return newPublisher().offer()
    case 'offerToReceive':
      return newViewer(request.peer).offer()
    case 'takeAnswer':
      ;(viewers.get(request.peer) ?? publisher)?.accept(request.sdp)
      return null
    case 'answer':
      return answer(request.peer, request.sdp)
    case 'count':
      return received()
  }
}

let ticks = 0
setInterval(() => {
  const nowMs = performance.now()
  ticks++
  publisher?.tick(nowMs)
  for (const { link } of viewers.values()) link.poll()
  let index = 0
  for (const viewer of viewers.values())
    if (index++ % TICKS_PER_VIEWER === ticks % TICKS_PER_VIEWER) viewer.tick(nowMs)
}, TICK_MS)

process.on('message', (message) => {
  const { id, request } = message as { id: number; request: LoadRequest }
  handle(request).then(
    (result) => process.send?.({ id, result }),
    (error: Error) => process.send?.({ id, error: error.message }),
  )
})
