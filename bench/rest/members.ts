/**
 * Members of live rooms, in a separate process. Each enters over the relay's socket like a browser, and keeps sending
 * camera and microphone. The process answers each request over IPC with the request's id.
 */

import { RelayClient } from '../../server/src/testing/relay/relay-client.ts'
import { cameraClip } from './camera-clip.ts'
import { Member, type Recorded } from './member.ts'
import type { MembersRequest } from './members-process.ts'
import { tonePacket } from './tone-packet.ts'

const TICK_MS = 5
/** Offset between the sending times of two members, within the time of a frame. */
const OFFSET_MS = 3

const members: Member[] = []
const recorded: Promise<Recorded> = cameraClip().then((camera) => ({ camera, sound: tonePacket() }))

/** @param url of the relay @param token of the room */
async function join(url: string, token: string): Promise<void> {
  const index = members.length
  const ssrcs = { audio: 1000 + 2 * index, video: 1001 + 2 * index }
  const member = new Member(`member-${index}`, ssrcs, await recorded, index * OFFSET_MS)
  const client = await RelayClient.connect(url, token)
  await client.join(undefined, {}, await member.pipe.offer(ssrcs))
  const { params } = (await client.vertoEvent('verto.answer')) as { params: { sdp: string } }
  member.pipe.accept(params.sdp)
  members.push(member)
}

async function handle(request: MembersRequest): Promise<unknown> {
  switch (request.method) {
    case 'join':
      return join(request.url, request.token)
    case 'framesReceived':
      return members.map((member) => member.framesReceived)
  }
}

setInterval(() => {
  const nowMs = performance.now()
  for (const member of members) member.tick(nowMs)
}, TICK_MS)

process.on('message', (message) => {
  const { id, request } = message as { id: number; request: MembersRequest }
  handle(request).then(
    (result) => process.send?.({ id, result: result ?? null }),
    (error: Error) => process.send?.({ id, error: error.message }),
  )
})
