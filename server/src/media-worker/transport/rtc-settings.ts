import type { WorkerSettings } from '../../media/messages.ts'

export type TransportName = WorkerSettings['transport']

/** Where the peer connections of one media worker listen, and how they show themselves to browsers. */
export interface RtcSettings {
  /** UDP ports of this worker, both ends included. All its connections share the first one that is free. */
  portRange: { begin: number; end: number }
  /** Address that browsers reach this machine at when it is behind NAT; offered beside the interfaces' own. */
  announcedIp?: string
  /** Listen on this address only; all interfaces when absent. */
  bindAddress?: string
  /** What carries the connections; libdatachannel by default. */
  transport?: TransportName
  /**
   * Whether audio and video share one ICE and DTLS transport (the default). Without it each media section gets a
   * transport of its own, as some clients' ICE restarts need it.
   */
  bundle?: boolean
}

/** What the token lets a leg send to the room and receive from it. What is not allowed is answered as not received. */
export interface MediaPermissions {
  maySendAudio: boolean
  maySendVideo: boolean
  mayReceiveAudio: boolean
  mayReceiveVideo: boolean
}
