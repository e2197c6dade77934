/**
 * The browsers' side of the fan-out bench: one publisher and many receivers. It runs in a separate process so that its
 * CPU time is not counted. It answers each request over IPC with the request's id.
 */
import nodeDataChannel, { type PeerConnection, type Track } from 'node-datachannel'
import type { LoadRequest } from './load-process.ts'
import {
  CLOCK_RATE,
  FRAME_BYTES,
  FRAMES_PER_KEYFRAME,
  FRAMES_PER_SECOND,
  PAYLOAD_BYTES,
  VP8_PAYLOAD_TYPE,
} from './traffic.ts'

const PUBLISHER_SSRC = 4711
/** Each receiver gets its own SSRC, so that receivers are not confused. */
let nextSsrc = 10_000

interface Peer {
  connection: PeerConnection
  track: Track | null
  packets: number
}

const peers = new Map<string, Peer>()

function newPeer(name: string): Peer {
  const connection = new nodeDataChannel.PeerConnection(name, {
    iceServers: [],
    disableAutoNegotiation: true,
    forceMediaTransport: true,
  })
  const peer: Peer = { connection, track: null, packets: 0 }
  peers.set(name, peer)
  return peer
}

function receiveOn(peer: Peer, track: Track): void {
  peer.track = track
  // Answers each sender report with a receiver report.
  track.setMediaHandler(new nodeDataChannel.RtcpReceivingSession())
  track.onMessage(() => peer.packets++)
  track.onClosed(() => {})
}

async function describe({ connection }: Peer, type: 'offer' | 'answer'): Promise<string> {
  const gathered = new Promise<void>((resolve) => {
    connection.onGatheringStateChange((state) => {
      if (state === 'complete') resolve()
    })
  })
  connection.setLocalDescription(type)
  if (connection.gatheringState() !== 'complete') await gathered
  const { sdp } = connection.localDescription()!
  return type === 'offer' ? withoutOwnCandidates(sdp) : sdp
}

/**
 * libdatachannel may fail if connectivity checks arrive before the answer. So the server must wait for this side's
 * checks, and gets none of its addresses. It gets one address at which nobody answers, because it takes a browser with
 * no address for one that hides its own.
 */
function withoutOwnCandidates(sdp: string): string {
  const nobody = 'a=candidate:1 1 UDP 1 127.0.0.1 9 typ host\r\n'
  return sdp
    .replaceAll(/^a=(candidate:.*|end-of-candidates)\r\n/gm, '')
    .replace(/^a=ice-pwd/m, `${nobody}a=ice-pwd`)
}

function mediaOf(direction: 'SendOnly' | 'RecvOnly', ssrc: number) {
  const media = new nodeDataChannel.Video('0', direction)
  media.addVP8Codec(VP8_PAYLOAD_TYPE)
  media.addSSRC(ssrc, `load-${ssrc}`, 'load', 'video')
  return media
}

/** Both servers stamp packets with the send time (abs-send-time). Neither uses transport-wide sequence numbers. */
function withSendTime(sdp: string): string {
  const extension = 'http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time'
  return sdp.replace('a=recvonly\r\n', `a=recvonly\r\na=extmap:2 ${extension}\r\n`)
}

function withoutTransportSequence(sdp: string): string {
  return sdp.replaceAll(/^a=(extmap:.*transport-wide-cc.*|rtcp-fb:.*transport-cc)\r\n/gm, '')
}

/** Sends noise frames that look like VP8 to a receiver that does not decode. */
function publish(track: Track): void {
  const packet = Buffer.alloc(12 + 4 + PAYLOAD_BYTES)
  for (let i = 16; i < packet.length; i++) packet[i] = (i * 31) & 0xff
  packet[0] = 0x80
  packet.writeUInt32BE(PUBLISHER_SSRC, 8)
  const packetsPerFrame = Math.ceil(FRAME_BYTES / PAYLOAD_BYTES)
  let sequence = 0
  let frame = 0
  setInterval(() => {
    if (!track.isOpen()) return
    for (let i = 0; i < packetsPerFrame; i++) {
      packet[1] = VP8_PAYLOAD_TYPE | (i === packetsPerFrame - 1 ? 0x80 : 0)
      packet.writeUInt16BE(sequence++ & 0xffff, 2)
      packet.writeUInt32BE((frame * CLOCK_RATE) / FRAMES_PER_SECOND, 4)
      // The descriptor has a picture id. The lowest bit of the frame tag is 0 in a keyframe.
      packet[12] = i === 0 ? 0x90 : 0x80
      packet[13] = 0x80
      packet.writeUInt16BE(0x8000 | (frame & 0x7fff), 14)
      packet[16] = frame % FRAMES_PER_KEYFRAME === 0 ? 0x10 : 0x11
      track.sendMessageBinary(
        packet.subarray(0, 16 + Math.min(PAYLOAD_BYTES, FRAME_BYTES - i * PAYLOAD_BYTES)),
      )
    }
    frame++
  }, 1000 / FRAMES_PER_SECOND)
}

async function handle(request: LoadRequest): Promise<unknown> {
  switch (request.method) {
    case 'offerToSend': {
      const peer = newPeer(request.peer)
      peer.track = peer.connection.addTrack(mediaOf('SendOnly', PUBLISHER_SSRC))
      publish(peer.track)
      return describe(peer, 'offer')
    }
    case 'offerToReceive': {
      const peer = newPeer(request.peer)
      receiveOn(peer, peer.connection.addTrack(mediaOf('RecvOnly', nextSsrc++)))
      return withSendTime(await describe(peer, 'offer'))
    }
    case 'takeAnswer':
      peers.get(request.peer)!.connection.setRemoteDescription(request.sdp, 'answer')
      return null
    case 'answer': {
      const peer = newPeer(request.peer)
      peer.connection.onTrack((track) => receiveOn(peer, track))
      peer.connection.setRemoteDescription(withoutTransportSequence(request.sdp), 'offer')
      return describe(peer, 'answer')
    }
    case 'count':
      return [...peers.values()].filter((peer) => peer.packets > 0).map((peer) => peer.packets)
  }
}

process.on('message', (message) => {
  const { id, request } = message as { id: number; request: LoadRequest }
  handle(request).then(
    (result) => process.send?.({ id, result }),
    (error: Error) => process.send?.({ id, error: error.message }),
  )
})
