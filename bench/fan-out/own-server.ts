/**
 * This server's side of the fan-out bench: a transport for each browser. What the publisher sends is forwarded to the
 * others.
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
const transports: WebRtcTransport[] = []
const fanOut = new VideoFanOut('VP8', { onKeyframeNeeded: () => {} })

async function connect({ legId, offer }: ConnectRequest): Promise<string> {
  const transport: WebRtcTransport = new WebRtcTransport({
    legId,
    rtc,
    onVideoFrame: ({ data, keyframe, rtpTimestamp, arrivedAtMs }) =>
      fanOut.publish({ encoding: 'VP8', data, keyframe, rtpTimestamp, capturedAtMs: arrivedAtMs }),
    onState: (state) => {
      if (state === 'connected' && transport.receivedVideoCodec) fanOut.add(transport)
    },
  })
  transports.push(transport)
  return transport.negotiate(offer, ALL, 'VP8')
}

process.on('message', (message) => {
  const { id, request } = message as { id: number; request: ConnectRequest }
  connect(request).then(
    (result) => process.send?.({ id, result }),
    (error: Error) => process.send?.({ id, error: error.message }),
  )
})
