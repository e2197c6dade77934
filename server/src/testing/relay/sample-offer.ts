import { randomBytes } from 'node:crypto'

type Direction = 'sendrecv' | 'sendonly' | 'recvonly'

/** A media section like a browser's, reduced to the lines that affect an answer. */
function section(kind: 'audio' | 'video', mid: number, direction: Direction, security: string[]): string[] {
  const codec =
    kind === 'audio'
      ? ['a=rtpmap:111 opus/48000/2', 'a=fmtp:111 minptime=10;useinbandfec=1']
      : ['a=rtpmap:96 VP8/90000', 'a=rtcp-fb:96 nack', 'a=rtcp-fb:96 nack pli', 'a=rtcp-fb:96 goog-remb']
  return [
    `m=${kind} 50000 UDP/TLS/RTP/SAVPF ${kind === 'audio' ? 111 : 96}`,
    'c=IN IP4 127.0.0.1',
    'a=candidate:1 1 udp 2122260223 127.0.0.1 50000 typ host generation 0',
    ...security,
    `a=mid:${mid}`,
    `a=${direction}`,
    ...(direction === 'recvonly' ? [] : [`a=ssrc:${1000 + mid} cname:sample`, 'a=msid:stream track']),
    'a=rtcp-mux',
    ...codec,
  ]
}

/** An offer of a browser that never connects. It is enough for all tests except those of media. */
export function sampleOffer({
  order = ['audio', 'video'],
  direction = 'sendrecv',
}: {
  order?: readonly ('audio' | 'video')[]
  direction?: Direction
} = {}): string {
  const fingerprint = [...randomBytes(32)].map((byte) => byte.toString(16).padStart(2, '0')).join(':')
  const security = [
    `a=ice-ufrag:${randomBytes(4).toString('hex')}`,
    `a=ice-pwd:${randomBytes(12).toString('hex')}`,
    'a=ice-options:trickle',
    `a=fingerprint:sha-256 ${fingerprint.toUpperCase()}`,
    'a=setup:actpass',
  ]
  const lines = [
    'v=0',
    'o=- 4611731400430051336 2 IN IP4 127.0.0.1',
    's=-',
    't=0 0',
    `a=group:BUNDLE ${order.map((_, mid) => mid).join(' ')}`,
    'a=msid-semantic: WMS stream',
    ...order.flatMap((kind, mid) => section(kind, mid, direction, security)),
  ]
  return `${lines.join('\r\n')}\r\n`
}
