import type { Logger } from 'pino'
import { Containment } from '../containment.ts'
import type { WorkerSettings } from '../media/channel.ts'
import type {
  LegOptions,
  LegState,
  MemberMedia,
  RecordingResult,
  RoomMediaOptions,
  StreamLossCause,
  StreamOptions,
  Tile,
} from '../media/media-plane.ts'
import { type CameraRequest, cameraRequest } from './camera-request.ts'
import type { VideoCodec } from './media-types.ts'
import { AudioMixer } from './mixer/audio-mixer.ts'
import { LipSync } from './mixer/lip-sync.ts'
import { VideoMixer } from './mixer/video-mixer.ts'
import { Preview } from './outputs/preview.ts'
import { Recording } from './outputs/recording.ts'
import { RtmpStream } from './outputs/rtmp/rtmp-stream.ts'
import type { EmitEvent } from './requests.ts'
import type { RtcSettings } from './transport/rtc-settings.ts'
import { VideoFanOut } from './transport/video-fan-out.ts'
import { WebRtcTransport } from './transport/webrtc-transport.ts'

const CANVAS = { '720p': { width: 1280, height: 720 }, '1080p': { width: 1920, height: 1080 } } as const
/** How often the listeners' losses are told to their Opus encoders. */
const LOSS_REPORT_INTERVAL_MS = 2000

/**
 * How many faults a room bears within {@link FAULT_WINDOW_MS}. A mixer that throws at every tick reaches this in 1 to 3 s;
 * its room is frozen meanwhile, and a new one works again.
 */
const MOST_ROOM_FAULTS = 50
/** The same of one leg, whose every packet may be made to cause one. It costs no one else anything. */
const MOST_LEG_FAULTS = 200
const FAULT_WINDOW_MS = 10_000

/** A leg and what is known of it. */
interface Leg {
  id: string
  memberId: string
  transport: WebRtcTransport
  state: LegState | 'new'
  mayReceiveAudio: boolean
  /** The codec it takes part in the fan-out with, once connected. */
  viewing: VideoCodec | null
  /** What its camera was last asked for. */
  asked: CameraRequest | null
}

/** The media of one room session: legs in, one picture and a sound for each listener out, recordings beside. */
export class RoomMixer {
  readonly #sessionId: string
  readonly #fps: number
  readonly #rtc: RtcSettings
  readonly #log: Logger
  readonly #emit: EmitEvent
  readonly #legs = new Map<string, Leg>()
  /** Members whose picture is a screen share. */
  readonly #screens = new Set<string>()
  readonly #recordings = new Map<string, Recording>()
  readonly #streams = new Map<string, RtmpStream>()
  readonly #preview: Preview | null
  readonly #fanOuts: Record<VideoCodec, VideoFanOut>
  readonly #canvas: { width: number; height: number }
  readonly #video: VideoMixer
  readonly #audio: AudioMixer
  readonly #lossReports: NodeJS.Timeout
  readonly #toneOnEntryAndExit: boolean

  /** @param onLost called once when the room throws so often that it must be closed */
  constructor(
    options: RoomMediaOptions,
    settings: WorkerSettings,
    log: Logger,
    emit: EmitEvent,
    onLost: (reason: string) => void,
  ) {
    this.#sessionId = options.sessionId
    this.#fps = options.fps
    const { announcedIp } = settings
    const portRange = { begin: settings.portRange.first, end: settings.portRange.last }
    this.#rtc = announcedIp === null ? { portRange } : { portRange, announcedIp }
    this.#log = log.child({ sessionId: options.sessionId })
    this.#emit = emit
    this.#canvas = CANVAS[options.quality]
    this.#toneOnEntryAndExit = options.toneOnEntryAndExit
    const { guard } = new Containment(this.#log, {
      faults: MOST_ROOM_FAULTS,
      withinMs: FAULT_WINDOW_MS,
      onTooMany: (error) => onLost(`too many faults, the last one: ${error}`),
    })
    this.#fanOuts = {
      H264: new VideoFanOut('H264', () => this.#video.requestKeyframe('H264'), guard),
      VP8: new VideoFanOut('VP8', () => this.#video.requestKeyframe('VP8'), guard),
    }
    this.#preview = this.#newPreview(options.previewFile)
    const lipSync = new LipSync()
    this.#video = new VideoMixer({
      ...this.#canvas,
      fps: options.fps,
      lipSync,
      guard,
      onFrame: (frame) => {
        this.#fanOuts[frame.codec].publish(frame)
        if (frame.codec !== 'H264') return
        for (const recording of this.#recordings.values()) recording.writeVideo(frame)
        for (const stream of this.#streams.values()) stream.writeVideo(frame)
      },
      onPicture: (picture, nowMs) => this.#preview?.write(picture, nowMs),
      onKeyframeWanted: (memberId) => {
        for (const leg of this.#legs.values()) if (leg.memberId === memberId) leg.transport.requestKeyframe()
      },
    })
    this.#audio = new AudioMixer({
      lipSync,
      guard,
      onPacket: (legId, packet) => this.#legs.get(legId)?.transport.sendAudio(packet),
      onMix: (pcm, capturedAtMs) => {
        for (const recording of this.#recordings.values()) recording.writeMix(pcm, capturedAtMs)
        for (const stream of this.#streams.values()) stream.writeMix(pcm, capturedAtMs)
      },
      onTalking: (memberId, talking) =>
        this.#emit({ event: 'talking', params: { sessionId: this.#sessionId, memberId, talking } }),
    })
    this.#video.start()
    this.#audio.start()
    const reportLosses = guard('loss report', () => this.#reportLosses())
    this.#lossReports = setInterval(reportLosses, LOSS_REPORT_INTERVAL_MS)
  }

  get legCount(): number {
    return this.#legs.size
  }

  async connectLeg(options: LegOptions): Promise<{ answer: string }> {
    const known = this.#legs.get(options.legId)
    const leg = known ?? this.#newLeg(options)
    try {
      const answer = await leg.transport.negotiate(options.offer, options)
      leg.mayReceiveAudio = options.mayReceiveAudio
      this.#attach(leg)
      return { answer }
    } catch (error) {
      if (!known) this.closeLeg(options.legId)
      throw error
    }
  }

  closeLeg(legId: string): void {
    const leg = this.#legs.get(legId)
    if (!leg) return
    this.#legs.delete(legId)
    this.#log.debug({ legId, ...leg.transport.stats }, 'leg closed')
    this.#audio.removeSource(legId)
    this.#audio.removeListener(legId)
    if (leg.viewing) this.#fanOuts[leg.viewing].remove(leg.transport)
    leg.transport.close()
    this.#video.endOfVideo(leg.memberId)
    this.#runEncoders()
  }

  setMember(member: MemberMedia): void {
    if (member.isScreen) this.#screens.add(member.memberId)
    this.#video.setMember(member)
    this.#audio.setMember(member)
  }

  removeMember(memberId: string): void {
    this.#screens.delete(memberId)
    this.#video.removeMember(memberId)
    this.#audio.removeMember(memberId)
  }

  setTiles(tiles: Tile[]): void {
    this.#video.setTiles(tiles)
    for (const leg of this.#legs.values()) this.#askCamera(leg)
  }

  playTone(tone: 'entry' | 'exit'): void {
    if (this.#toneOnEntryAndExit) this.#audio.playTone(tone)
  }

  async startRecording(recordingId: string, file: string): Promise<{ startedAt: number }> {
    if (this.#recordings.has(recordingId)) throw new Error(`recording ${recordingId} exists already`)
    const recording = await Recording.start({
      recordingId,
      file,
      ...this.#canvas,
      fps: this.#fps,
      requestKeyframe: () => this.#video.requestKeyframe('H264'),
      onFailed: (reason, result) => this.#recordingFailed(recordingId, reason, result),
    })
    this.#recordings.set(recordingId, recording)
    this.#runEncoders()
    return { startedAt: await recording.started }
  }

  pauseRecording(recordingId: string): void {
    this.#recordingOf(recordingId).pause()
  }

  resumeRecording(recordingId: string): void {
    this.#recordingOf(recordingId).resume()
  }

  async stopRecording(recordingId: string): Promise<RecordingResult> {
    const recording = this.#recordingOf(recordingId)
    this.#recordings.delete(recordingId)
    this.#runEncoders()
    return recording.stop()
  }

  async startStream({ streamId, url, target }: StreamOptions): Promise<{ startedAt: number }> {
    if (this.#streams.has(streamId)) throw new Error(`stream ${streamId} exists already`)
    const stream = await RtmpStream.start({
      url,
      target,
      ...this.#canvas,
      fps: this.#fps,
      requestKeyframe: () => this.#video.requestKeyframe('H264'),
      onLost: (cause, detail) => this.#streamLost(streamId, cause, detail),
    })
    this.#streams.set(streamId, stream)
    this.#runEncoders()
    try {
      return { startedAt: await stream.published }
    } catch (error) {
      if (this.#streams.get(streamId) === stream) await this.stopStream(streamId)
      throw error
    }
  }

  async stopStream(streamId: string): Promise<void> {
    const stream = this.#streams.get(streamId)
    this.#streams.delete(streamId)
    this.#runEncoders()
    await stream?.stop()
  }

  async close(): Promise<RecordingResult[]> {
    clearInterval(this.#lossReports)
    const streams = [...this.#streams.keys()].map((id) => this.stopStream(id))
    const results = await Promise.allSettled([...this.#recordings.keys()].map((id) => this.stopRecording(id)))
    await Promise.allSettled(streams)
    try {
      for (const legId of [...this.#legs.keys()]) this.closeLeg(legId)
    } finally {
      this.#video.stop()
      this.#audio.stop()
    }
    await this.#preview?.close()
    return results.filter((result) => result.status === 'fulfilled').map((result) => result.value)
  }

  #newPreview(file: string | null): Preview | null {
    if (file === null) return null
    return new Preview({ file, onFailed: (err) => this.#log.warn({ err }, 'preview not made') })
  }

  #newLeg(options: LegOptions): Leg {
    const { guard } = new Containment(this.#log.child({ legId: options.legId }), {
      faults: MOST_LEG_FAULTS,
      withinMs: FAULT_WINDOW_MS,
      // Not from within its own callback.
      onTooMany: () => setImmediate(() => transport.fail()),
    })
    const transport: WebRtcTransport = new WebRtcTransport({ legId: options.legId, rtc: this.#rtc, guard })
    const leg: Leg = {
      id: options.legId,
      memberId: options.memberId,
      transport,
      state: 'new',
      mayReceiveAudio: options.mayReceiveAudio,
      viewing: null,
      asked: null,
    }
    this.#legs.set(leg.id, leg)
    transport.onVideoFrame = (frame) => this.#video.pushFrame(leg.memberId, frame)
    transport.on('state', (state) => {
      leg.state = state
      this.#attach(leg)
      this.#emit({ event: 'leg', params: { sessionId: this.#sessionId, legId: leg.id, state } })
    })
    return leg
  }

  /** Joins a leg to the mixers as its transport stands; called again whenever that changes. */
  #attach(leg: Leg): void {
    if (!this.#legs.has(leg.id)) return
    this.#audio.removeSource(leg.id)
    if (leg.transport.microphone) this.#audio.addSource(leg.id, leg.memberId, leg.transport.microphone)
    const viewing = leg.state === 'connected' ? leg.transport.receivedVideoCodec : leg.viewing
    if (viewing !== leg.viewing) {
      if (leg.viewing) this.#fanOuts[leg.viewing].remove(leg.transport)
      leg.viewing = viewing
      if (viewing) this.#fanOuts[viewing].add(leg.transport)
    }
    if (leg.state === 'connected' && leg.mayReceiveAudio) this.#audio.addListener(leg.id, leg.memberId)
    this.#runEncoders()
    this.#askCamera(leg)
  }

  /** An encoder runs only while somebody takes what it makes. */
  #runEncoders(): void {
    this.#video.setVp8Enabled(this.#fanOuts.VP8.size > 0)
    const isTaken = this.#fanOuts.H264.size + this.#recordings.size + this.#streams.size > 0
    this.#video.setH264Enabled(isTaken)
  }

  #askCamera(leg: Leg): void {
    if (leg.state !== 'connected') return
    const isScreen = this.#screens.has(leg.memberId)
    const request = cameraRequest(isScreen ? this.#canvas : this.#video.tileSize(leg.memberId), this.#fps)
    if (leg.asked?.height === request.height) return
    leg.asked = request
    leg.transport.setMaxReceiveBitrate(request.maxBitrateBps)
    // A browser that is asked for a size crops its screen to those proportions.
    if (isScreen) return
    const { width, height, frameRate } = request
    this.#emit({
      event: 'videoWanted',
      params: { sessionId: this.#sessionId, legId: leg.id, width, height, frameRate },
    })
  }

  #reportLosses(): void {
    for (const leg of this.#legs.values()) {
      this.#audio.setExpectedLoss(leg.id, leg.transport.audioLossToExpect * 100)
    }
  }

  #recordingFailed(recordingId: string, reason: string, result: RecordingResult | null): void {
    this.#recordings.delete(recordingId)
    this.#runEncoders()
    this.#log.error({ recordingId, reason }, 'recording failed')
    this.#emit({
      event: 'recordingFailed',
      params: { sessionId: this.#sessionId, recordingId, reason, result },
    })
  }

  #streamLost(streamId: string, cause: StreamLossCause, detail: string): void {
    this.#streams.delete(streamId)
    this.#runEncoders()
    this.#log.warn({ streamId, cause, detail }, 'stream lost')
    this.#emit({ event: 'streamLost', params: { sessionId: this.#sessionId, streamId, cause } })
  }

  #recordingOf(recordingId: string): Recording {
    const recording = this.#recordings.get(recordingId)
    if (!recording) throw new Error(`no running recording ${recordingId}`)
    return recording
  }
}
