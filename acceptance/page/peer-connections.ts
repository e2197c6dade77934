/**
 * Watches the peer connections that the client under test makes, without changing how it uses them. Load it before the
 * client.
 */

const connections: RTCPeerConnection[] = []
let onlyRelay = false
const trackListeners: ((track: MediaStreamTrack) => void)[] = []

/** Every remote track received so far, oldest first. A reattached leg adds new tracks. */
const remoteTracks: MediaStreamTrack[] = []

class WatchedPeerConnection extends RTCPeerConnection {
  constructor(configuration?: RTCConfiguration) {
    super(onlyRelay ? { ...configuration, iceTransportPolicy: 'relay' } : configuration)
    connections.push(this)
    this.addEventListener('track', ({ track }) => {
      remoteTracks.push(track)
      for (const listener of trackListeners) listener(track)
    })
  }
}

/** Replaces the browser's class with the watched one. */
export function watchPeerConnections(): void {
  window.RTCPeerConnection = WatchedPeerConnection
}

/** Calls `listener` for each remote track from now on. */
export function onRemoteTrack(listener: (track: MediaStreamTrack) => void): void {
  trackListeners.push(listener)
}

/** Lets connections use a TURN server alone from now on. */
export function useOnlyRelay(): void {
  onlyRelay = true
}

/** Makes this browser offer no H264, like a Firefox that never downloaded its H264 plugin. */
export function offerWithoutH264(): void {
  const original = RTCPeerConnection.prototype.createOffer as (
    this: RTCPeerConnection,
    options?: RTCOfferOptions,
  ) => Promise<RTCSessionDescriptionInit>
  const codecs = (RTCRtpReceiver.getCapabilities('video')?.codecs ?? []).filter(
    ({ mimeType }) => mimeType.toLowerCase() !== 'video/h264',
  )
  function createOffer(this: RTCPeerConnection, options?: RTCOfferOptions) {
    for (const transceiver of this.getTransceivers()) {
      if (transceiver.receiver.track.kind === 'video') transceiver.setCodecPreferences(codecs)
    }
    return original.call(this, options)
  }
  RTCPeerConnection.prototype.createOffer = createOffer as typeof RTCPeerConnection.prototype.createOffer
}

/** The browser's own counters for the picture it receives. */
export interface ReceivedVideo {
  codec: string
  framesDecoded: number
  packetsReceived: number
  packetsLost: number
  freezeCount: number
  /** Seconds, as the WebRTC statistics define it. */
  totalFreezesDuration: number
  frameWidth: number
  frameHeight: number
  nackCount: number
  pliCount: number
  /** Total waiting time of all frames in seconds, and the number of frames. */
  jitterBufferDelay: number
  jitterBufferEmittedCount: number
}

/** The browser's own counters for the camera it sends. */
export interface SentVideo {
  codec: string
  framesEncoded: number
  framesSent: number
  frameWidth: number
  frameHeight: number
  framesPerSecond: number
  packetsSent: number
  retransmittedPacketsSent: number
  /** Total time in seconds that packets have waited for the pacer. */
  totalPacketSendDelay: number
  targetBitrate: number
  nackCount: number
  pliCount: number
}

type StatsEntry = Record<string, unknown> & { type: string; kind?: string }

async function findStats(type: string, kind: string): Promise<{ entry: StatsEntry; codec: string } | null> {
  for (const connection of [...connections].reverse()) {
    if (connection.connectionState !== 'connected') continue
    const report = await connection.getStats()
    let entry: StatsEntry | null = null
    report.forEach((candidate: StatsEntry) => {
      if (candidate.type === type && candidate.kind === kind) entry = candidate
    })
    const found = entry as StatsEntry | null
    if (found === null) continue
    const codec = report.get(String(found.codecId)) as { mimeType?: string } | undefined
    return { entry: found, codec: codec?.mimeType ?? '' }
  }
  return null
}

function numbers<K extends string>(entry: StatsEntry, keys: readonly K[]): Record<K, number> {
  return Object.fromEntries(keys.map((key) => [key, Number(entry[key] ?? 0)])) as Record<K, number>
}

/** The composed picture as the newest connected leg receives it. Null while nothing arrives. */
export async function receivedVideo(): Promise<ReceivedVideo | null> {
  const stats = await findStats('inbound-rtp', 'video')
  if (stats === null) return null
  const keys = [
    'framesDecoded',
    'packetsReceived',
    'packetsLost',
    'freezeCount',
    'totalFreezesDuration',
    'frameWidth',
    'frameHeight',
    'nackCount',
    'pliCount',
    'jitterBufferDelay',
    'jitterBufferEmittedCount',
  ] as const
  return { codec: stats.codec, ...numbers(stats.entry, keys) }
}

/** Total energy of the received sound, as `totalAudioEnergy` of the WebRTC statistics. Null while nothing arrives. */
export async function receivedEnergy(): Promise<number | null> {
  const stats = await findStats('inbound-rtp', 'audio')
  return stats && Number(stats.entry.totalAudioEnergy ?? 0)
}

/** The browser's own counters for the sound it receives, in samples. */
export interface ReceivedAudio {
  totalSamplesReceived: number
  /** Samples that the browser generated because no packet was available to play. */
  concealedSamples: number
  /** The part of `concealedSamples` that is silence: no sound was playing at that time, or no packet came for long. */
  silentConcealedSamples: number
  packetsReceived: number
  packetsLost: number
  fecPacketsReceived: number
  jitterBufferDelay: number
  jitterBufferEmittedCount: number
}

/** The sound as the newest connected leg receives it. Null while nothing arrives. */
export async function receivedAudio(): Promise<ReceivedAudio | null> {
  const stats = await findStats('inbound-rtp', 'audio')
  const keys = [
    'totalSamplesReceived',
    'concealedSamples',
    'silentConcealedSamples',
    'packetsReceived',
    'packetsLost',
    'fecPacketsReceived',
    'jitterBufferDelay',
    'jitterBufferEmittedCount',
  ] as const
  return stats && numbers(stats.entry, keys)
}

/** The camera as the newest connected leg sends it. Null while nothing is sent. */
export async function sentVideo(): Promise<SentVideo | null> {
  const stats = await findStats('outbound-rtp', 'video')
  if (stats === null) return null
  const keys = [
    'framesEncoded',
    'framesSent',
    'frameWidth',
    'frameHeight',
    'framesPerSecond',
    'packetsSent',
    'retransmittedPacketsSent',
    'totalPacketSendDelay',
    'targetBitrate',
    'nackCount',
    'pliCount',
  ] as const
  return { codec: stats.codec, ...numbers(stats.entry, keys) }
}

/** Height in pixels that the camera delivers now, with the constraints it was given. Null without a camera. */
export function cameraHeight(): number | null {
  const tracks = connections.flatMap((each) => each.getSenders()).map((sender) => sender.track)
  const camera = tracks.findLast((track) => track?.kind === 'video' && track.readyState === 'live')
  return camera?.getSettings().height ?? null
}

/** The browser's end of a network path. */
export interface ChosenPath {
  /** `host`, `srflx`, `prflx` or `relay`. */
  type: string
  /** How the TURN server is reached: `udp`, `tcp` or `tls`; null without one. */
  protocol: string | null
}

/** The network path of the newest connected leg. Null while there is none. */
export async function chosenPath(): Promise<ChosenPath | null> {
  const newest = connections.findLast(({ connectionState }) => connectionState === 'connected')
  const report = (await newest?.getStats()) ?? new Map()
  const entries: StatsEntry[] = [...report.values()]
  const transport = entries.find(({ type }) => type === 'transport')
  const pair = report.get(String(transport?.selectedCandidatePairId)) as StatsEntry | undefined
  const local = report.get(String(pair?.localCandidateId)) as StatsEntry | undefined
  if (!local) return null
  return { type: String(local.candidateType), protocol: (local.relayProtocol as string | undefined) ?? null }
}

/** States of all peer connections of the page, for failure reports. */
export function connectionStates(): string[] {
  return connections.map(
    (each) => `${each.signalingState}/${each.iceConnectionState}/${each.connectionState}`,
  )
}
