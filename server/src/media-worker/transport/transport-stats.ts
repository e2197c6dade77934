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
