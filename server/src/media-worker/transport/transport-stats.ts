import type { ReceivedMedia } from './receiving/received-media.ts'
import type { AudioSender } from './sending/audio-sender.ts'
import type { VideoSender } from './sending/video-sender.ts'

/** What one transport has seen, for logs, the benches and the choice of encoder settings. Counters never go back. */
export interface TransportStats {
  /** Round trip measured by reports; null before the first. */
  roundTripMs: number | null
  /** From the browser to us. */
  received: {
    packets: number
    bytes: number
    /** Packets that never came, also not by retransmission. */
    lost: number
    /** Retransmissions that filled a gap. */
    recovered: number
    /** Packets that the network lost, and that came by retransmission. */
    repaired: number
    /** Packets that were no RTP. */
    malformed: number
    /** Packets dropped unread: the browser sent more than any browser does. */
    excess: number
    nacksSent: number
    keyframeRequestsSent: number
    videoFrames: number
    /** Payload of the last second. */
    audioBitrateBps: number
    videoBitrateBps: number
    /** Of the microphone, else of the camera; null before the first packet. */
    jitterMs: number | null
    /** What the audio jitter buffer aims at now. */
    jitterBufferTargetMs: number
    /** Times 20 ms of sound that were played, and those of them that were made up in speech for want of a packet. */
    playedTicks: number
    concealedTicks: number
  }
  /** From us to the browser. */
  sent: {
    packets: number
    bytes: number
    retransmitted: number
    nacksReceived: number
    keyframeRequestsReceived: number
    /** Share of packets the browser missed in its last report, 0 to 1. Audio: set the Opus encoder's expected loss by it. */
    audioLoss: number
    videoLoss: number
    /** Packets of which the browser has reported how many it missed, and how many these were. */
    reportedPackets: number
    reportedLost: number
    /** What its downlink is believed to carry, by the arrivals it reports, else by its own estimate; null before the first. */
    availableBitrateBps: number | null
  }
}

/** The parts of a transport that count. */
export interface CountingParts extends Pick<TransportStats, 'roundTripMs'> {
  received: ReceivedMedia
  excess: number
  senders: { audio: AudioSender; video: VideoSender }
  availableBitrateBps: number | null
}

/** What the parts of a transport have counted until now. */
export function transportStats(parts: CountingParts): TransportStats {
  const { roundTripMs, received, excess, senders, availableBitrateBps } = parts
  return {
    roundTripMs,
    received: { ...receivedBy(received), excess },
    sent: { ...sentBy(senders), availableBitrateBps },
  }
}

function receivedBy({
  audio,
  video,
  meters,
  malformed,
}: ReceivedMedia): Omit<TransportStats['received'], 'excess'> {
  return {
    malformed,
    packets: video.streams.packets + audio.streams.packets,
    bytes: video.bytes + audio.bytes,
    lost: video.streams.lost + audio.streams.lost,
    recovered: video.streams.recovered + audio.streams.recovered,
    repaired: video.streams.repaired + audio.streams.repaired,
    nacksSent: video.streams.nacksSent + audio.streams.nacksSent,
    keyframeRequestsSent: video.keyframeRequestsSent,
    videoFrames: video.frames,
    audioBitrateBps: meters.audio.bitrateBps,
    videoBitrateBps: meters.video.bitrateBps,
    jitterMs: (audio.streams.current ?? video.streams.current)?.jitterMs ?? null,
    jitterBufferTargetMs: audio.targetMs,
    playedTicks: audio.heard.played,
    concealedTicks: audio.heard.concealed,
  }
}

function sentBy({
  audio: { stream: audio },
  video: sender,
}: CountingParts['senders']): Omit<TransportStats['sent'], 'availableBitrateBps'> {
  const { stream: video, retransmissions } = sender
  return {
    packets: audio.packets + video.packets + retransmissions.packets,
    bytes: audio.octets + video.octets + retransmissions.octets,
    retransmitted: sender.retransmitted,
    nacksReceived: sender.nacksReceived,
    keyframeRequestsReceived: sender.keyframeRequestsReceived,
    audioLoss: audio.fractionLost,
    videoLoss: video.fractionLost,
    reportedPackets: audio.reportedPackets + video.reportedPackets,
    reportedLost: audio.reportedLost + video.reportedLost,
  }
}
