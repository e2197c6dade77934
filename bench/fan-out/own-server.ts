/**
 * This server's side of the fan-out bench: a transport for each browser. Picture and sound of the first one are
 * forwarded to the others, sound as a room does it: a packet every 20 ms.
 */
import type { MediaPermissions, RtcSettings } from '../../server/src/media-worker/transport/rtc-settings.ts'
import { VideoFanOut } from '../../server/src/media-worker/transport/video-fan-out.ts'
import { WebRtcTransport } from '../../server/src/media-worker/transport/webrtc-transport.ts'

export interface ConnectRequest {
  legId: string
  offer: string
}

const ALL: MediaPermissions = {
  maySendAudio: true,
  maySendVideo: true,
  mayReceiveAudio: true,
  mayReceiveVideo: true,
}
const rtc: RtcSettings = {
  portRange: { begin: 45_000, end: 45_099 },
  transport: process.env.PARLEY_RTC_TRANSPORT === 'openssl' ? 'openssl' : 'libdatachannel',
}
const SOUND_MS = 20
const CLOCK_PER_MS = 48
const transports: WebRtcTransport[] = []
const fanOut = new VideoFanOut('VP8', { onKeyframeNeeded: () => {} })

async function connect({ legId, offer }: ConnectRequest): Promise<string> {
  const isPublisher = transports.length === 0
  const transport: WebRtcTransport = new WebRtcTransport({
    legId,
    rtc,
    onVideoFrame: ({ data, keyframe, rtpTimestamp, arrivedAtMs }) =>
      fanOut.publish({ encoding: 'VP8', data, keyframe, rtpTimestamp, capturedAtMs: arrivedAtMs }),
    onState: (state) => {
      if (state === 'connected' && !isPublisher && transport.receivedVideoCodec) fanOut.add(transport)
    },
  })
  transports.push(transport)
  return transport.negotiate(offer, ALL, 'VP8')
}

let dueMs = performance.now()
setInterval(() => {
  const nowMs = performance.now()
  for (; dueMs <= nowMs; dueMs += SOUND_MS) {
    const [publisher, ...others] = transports
    const sound = publisher?.microphone?.pull(dueMs)
    if (sound?.kind !== 'packet') continue
    const packet = {
      payload: sound.payload,
      rtpTimestamp: Math.round(dueMs * CLOCK_PER_MS),
      capturedAtMs: dueMs,
    }
    for (const other of others) other.sendAudio(packet)
  }
}, SOUND_MS)

process.on('message', (message) => {
  const { id, request } = message as { id: number; request: ConnectRequest }
  connect(request).then(
    (result) => process.send?.({ id, result }),
    (error: Error) => process.send?.({ id, error: error.message }),
  )
})
