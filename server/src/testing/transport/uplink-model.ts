import { LipSync } from '../../media-worker/mixer/lip-sync.ts'
import { AudioReceiver } from '../../media-worker/transport/receiving/audio-receiver.ts'
import { SenderClock } from '../../media-worker/transport/receiving/sender-clock.ts'
import { VideoReceiver } from '../../media-worker/transport/receiving/video-receiver.ts'
import { RtpPacketView } from '../../media-worker/transport/rtp/rtp-packet.ts'
import {
  BrowserModel,
  type BrowserPacket,
  CAMERA_SSRC,
  type CameraModel,
  MICROPHONE_SSRC,
} from './browser-model.ts'
import { LinkModel, type LinkModelQuality, seededRandom } from './link-model.ts'

const STEP_MS = 2
const TICK_MS = 10
const PULL_MS = 20
const PICTURE_MS = 50
const REPORT_MS = 1000
/** During this time the network has jitter but loses nothing. After it, everything is counted. */
const SETTLED_MS = 5000

/** The result of a call over a bad uplink. */
export interface UplinkOutcome {
  /**
   * Share of the time in steps between two new pictures that were longer than the given limit. Each such step counts in
   * full.
   */
  frozen: number
  /** Share of the speech that was concealed. */
  concealed: number
  /** The median time from capturing a picture until it was shown. */
  pictureDelayMs: number
  soundDelayMs: number
  keyframeRequests: number
  /** Packets that the browser sent again, per packet that the link lost or would have lost. */
  repetitions: number
  nacks: number
  frames: number
}

/**
 * Lets a browser send its camera and microphone over a bad network to the real receiving side, on a manual clock. The
 * network begins to lose packets after five seconds, and everything is counted from then on.
 */
export function simulateUplink(options: {
  quality: LinkModelQuality
  seconds: number
  seed: number
  camera: CameraModel
  longestStepMs: number
  speaks?: boolean
}): UplinkOutcome {
  const random = seededRandom(options.seed)
  const up = new LinkModel<BrowserPacket>({ ...options.quality, loss: 0 }, random)
  const down = new LinkModel<Buffer>({ ...options.quality, loss: 0 }, random)
  const browser = new BrowserModel(options.camera, (packet, nowMs) => {
    if (packet.kind !== 'audio' || (options.speaks ?? true)) up.send(packet, nowMs)
  })
  const clock = new SenderClock()
  const lipSync = new LipSync()
  const waiting: { showAtMs: number; capturedAtMs: number }[] = []
  let nowMs = 0
  let lastShowAtMs = 0
  const videoReceiver = new VideoReceiver(1, clock, {
    onFrame: (frame) => {
      const { capturedAtMs, arrivedAtMs } = frame
      if (capturedAtMs !== null) lipSync.pictureReady('m', capturedAtMs, arrivedAtMs + PICTURE_MS / 2)
      lastShowAtMs = Math.max(lastShowAtMs, lipSync.showAtMs('m', frame, PICTURE_MS / 2))
      waiting.push({ showAtMs: lastShowAtMs, capturedAtMs: browser.capturedAtMs(frame.rtpTimestamp) })
    },
    sendControl: (control) => down.send(control, nowMs),
  })
  const audioReceiver = new AudioReceiver(1, clock, {
    sendControl: (control) => down.send(control, nowMs),
  })
  const view = new RtpPacketView()
  const shownAtMs: number[] = []
  const pictureDelays: number[] = []
  const soundDelays: number[] = []
  let before = { played: 0, concealed: 0 }
  let roundTripMs = 100
  const settledMs = SETTLED_MS
  for (; nowMs < options.seconds * 1000; nowMs += STEP_MS) {
    browser.advance(nowMs)
    if (nowMs % REPORT_MS === 0) up.send({ kind: 'report', bytes: Buffer.alloc(8) }, nowMs)
    const sentAt = nowMs
    up.deliver(nowMs, (packet) => {
      if (packet.kind === 'report') {
        // Both sides measure approximately the real round trip.
        const { delayMs, jitterMs } = options.quality
        roundTripMs =
          2 * (delayMs + (options.quality.reorders ? 0 : jitterMs * 0.7)) + jitterMs * (random() - 0.5)
        browser.roundTripMs = roundTripMs
        const reportedAtMs = Math.floor(sentAt / REPORT_MS) * REPORT_MS
        clock.roundTripMs = roundTripMs
        clock.onSenderReport(CAMERA_SSRC, reportedAtMs, reportedAtMs * 90, nowMs)
        clock.onSenderReport(MICROPHONE_SSRC, reportedAtMs, reportedAtMs * 48, nowMs)
        return
      }
      view.read(packet.bytes)
      if (packet.kind === 'audio') audioReceiver.onPacket(view, 20, nowMs)
      else if (packet.kind === 'video') videoReceiver.onPacket(view, 'VP8', nowMs)
      else videoReceiver.onRetransmission(view, 'VP8', nowMs)
    })
    down.deliver(nowMs, (control) => browser.onControl(control, nowMs))
    if (nowMs % TICK_MS === 0) {
      videoReceiver.tick(nowMs, roundTripMs)
      audioReceiver.tick(nowMs, roundTripMs)
    }
    if (nowMs % REPORT_MS === 0) audioReceiver.leastTargetMs = videoReceiver.holdMs
    if (nowMs % PULL_MS === 0) {
      const pull = audioReceiver.pull(nowMs)
      if (pull.kind === 'packet' && pull.capturedAtMs !== null) {
        lipSync.soundPulled('m', pull.capturedAtMs, nowMs)
        if (nowMs > settledMs) soundDelays.push(nowMs - pull.capturedAtMs)
      }
    }
    if (nowMs % PICTURE_MS === 0) {
      let shown: (typeof waiting)[0] | undefined
      while (waiting[0] && waiting[0].showAtMs <= nowMs) shown = waiting.shift()
      if (shown && nowMs > settledMs) {
        shownAtMs.push(nowMs)
        pictureDelays.push(nowMs - shown.capturedAtMs)
      }
    }
    if (nowMs === settledMs) {
      before = audioReceiver.heard
      up.quality = down.quality = options.quality
    }
  }
  const steps = shownAtMs.slice(1).map((atMs, i) => atMs - shownAtMs[i]!)
  const frozenMs = steps.filter((step) => step > options.longestStepMs).reduce((sum, step) => sum + step, 0)
  const played = audioReceiver.heard.played - before.played
  return {
    frozen: frozenMs / (options.seconds * 1000 - settledMs),
    concealed: played > 0 ? (audioReceiver.heard.concealed - before.concealed) / played : 0,
    pictureDelayMs: median(pictureDelays),
    soundDelayMs: median(soundDelays),
    keyframeRequests: videoReceiver.keyframeRequestsSent,
    repetitions: browser.repetitions,
    nacks: videoReceiver.streams.nacksSent + audioReceiver.streams.nacksSent,
    frames: videoReceiver.frames,
  }
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}
