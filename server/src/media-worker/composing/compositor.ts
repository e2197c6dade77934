import { rm } from 'node:fs/promises'
import type { MemberMedia, RoomPart, Tile } from '../../media/channel.ts'
import type { EncodedVideoFrame, ReceivedVideoFrame, VideoEffort, VideoEncoding } from '../media-types.ts'
import { CameraTiming } from '../mixer/camera-timing.ts'
import type { LipSync } from '../mixer/lip-sync.ts'
import { type PlacedTile, placeTiles } from '../mixer/placed-tiles.ts'
import { showsPicture } from '../mixer/shows-picture.ts'
import type { FilePicture } from '../mixer/video-mixer.ts'
import { previewFiles } from '../outputs/preview-files.ts'
import type { ComposingThread } from './composing-thread.ts'
import type { ComposingThreads, ThreadedRoom } from './composing-threads.ts'
import { FileSender } from './file-sender.ts'
import type { ComposedFrame, FromThread, MixerCall, PictureOptions } from './messages.ts'

/** After a frame that was left out only a keyframe helps. It is asked for this often. */
const KEYFRAME_REQUEST_INTERVAL_MS = 500
/** A thread that does not close a room within this time is not waited for any longer. */
const CLOSE_TIMEOUT_MS = 3000

export interface CompositorOptions extends PictureOptions {
  threads: ComposingThreads
  /** The same object as the room's audio mixer has. */
  lipSync: LipSync
  /** Each encoded picture of each running codec. The frame object is lent for the call. */
  onFrame: (frame: EncodedVideoFrame) => void
  /** A decoder has lost its reference or has just started: ask this camera for a keyframe. */
  onKeyframeWanted: (memberId: string) => void
  /** The layout was replaced: tiles may have other sizes. */
  onTilesChanged: () => void
  /** Something threw while the picture was made. */
  onFault: (where: string, error: Error) => void
  onPreviewFailed: (error: Error) => void
}

interface Member {
  media: MemberMedia
  /** A frame of its camera could not be handed over: it goes on with a keyframe. */
  needsKeyframe: boolean
  askedMs: number
  /** Its camera was handed over, and not ended since. */
  isOn: boolean
}

/**
 * A room's one composed picture, as the loop of packets has it. The work is done in a thread. This side knows all that
 * a new thread must be told if that one ends. Starts with no codec enabled.
 */
export class Compositor implements RoomPart<'video'>, ThreadedRoom {
  readonly #options: CompositorOptions
  readonly #timing: CameraTiming
  #room = 0
  readonly #members = new Map<string, Member>()
  readonly #files = new Map<string, FileSender>()
  #tiles: readonly Tile[] = []
  #placed: readonly PlacedTile[] = []
  #tiled: ReadonlySet<string> = new Set()
  readonly #enabled: Record<VideoEncoding, boolean> = { H264: false, VP8: false, 'H264-small': false }
  readonly #bitratesBps = new Map<VideoEncoding, number>()
  #effort: VideoEffort | null = null
  #thread: ComposingThread | null = null
  #closing: Promise<void> | null = null
  #onClosed: () => void = () => {}
  /** Lent to `onFrame` and reused. */
  readonly #frame: EncodedVideoFrame = {
    encoding: 'H264',
    data: Buffer.alloc(0),
    keyframe: false,
    rtpTimestamp: 0,
    capturedAtMs: 0,
  }

  constructor(options: CompositorOptions) {
    this.#options = options
    this.#timing = new CameraTiming(options.lipSync, options.fps)
    options.threads.add(this)
  }

  /** Adds a member or replaces what is known about it. */
  setMember(media: MemberMedia): void {
    const known = this.#members.get(media.memberId)
    if (known) known.media = media
    else this.#members.set(media.memberId, { media, needsKeyframe: false, askedMs: 0, isOn: false })
    this.#call({ method: 'setMember', args: [media] })
    if (known && !showsPicture(media)) this.#turnOff(media.memberId, known)
  }

  /** Forgets a member. Its tile is empty until the next layout. */
  removeMember(memberId: string): void {
    this.#members.delete(memberId)
    this.#timing.removeMember(memberId)
    this.#call({ method: 'removeMember', args: [memberId] })
  }

  /** Shown in the tiles of this playback. */
  addFile(playbackId: string, file: FilePicture): void {
    if (this.#closing) return
    const { fps } = this.#options
    const sender = new FileSender(file, {
      fps,
      send: (picture) =>
        this.#thread?.post({ kind: 'file', room: this.#room, playbackId, picture }, [picture.memory]),
    })
    this.#files.set(playbackId, sender)
  }

  /** Its tile is empty from the next picture on. To be called before the file is closed. */
  removeFile(playbackId: string): void {
    this.#files.get(playbackId)?.close()
    this.#files.delete(playbackId)
    this.#call({ method: 'removeFile', args: [playbackId] })
  }

  /** Replaces the whole layout. Later tiles lie over earlier ones. */
  setTiles(tiles: readonly Tile[]): void {
    this.#tiles = tiles
    this.#placed = placeTiles(tiles, this.#options)
    this.#tiled = new Set(this.#placed.map(({ sourceId }) => sourceId))
    this.#call({ method: 'setTiles', args: [tiles] })
    for (const [memberId, member] of this.#members)
      if (!this.#tiled.has(memberId)) this.#turnOff(memberId, member)
    this.#options.onTilesChanged()
  }

  /** Frames of unknown members, muted cameras and members without a tile are dropped. Takes `frame.data` over. */
  pushFrame(memberId: string, frame: ReceivedVideoFrame): void {
    const member = this.#members.get(memberId)
    if (!member) return
    if (this.#isWanted(member)) this.#handOver(memberId, member, frame)
    // After a frame that was left out, decoding needs a keyframe.
    else this.#turnOff(memberId, member)
  }

  /** The camera's leg is gone. Its tile shows the name card from the next picture on. */
  endOfVideo(memberId: string): void {
    const member = this.#members.get(memberId)
    if (member) this.#turnOff(memberId, member)
  }

  /** The largest tile of this member in pixels, or null while it has none. */
  tileSize(memberId: string): { width: number; height: number } | null {
    let largest: { width: number; height: number } | null = null
    for (const { sourceId, area } of this.#placed)
      if (sourceId === memberId && area.width > (largest?.width ?? 0))
        largest = { width: area.width, height: area.height }
    return largest
  }

  /** Whether this member's picture is a screen share. */
  isScreen(memberId: string): boolean {
    return this.#members.get(memberId)?.media.isScreen ?? false
  }

  /** Makes the next tick's picture a keyframe; coalesced, at most four a second. */
  requestKeyframe(encoding: VideoEncoding): void {
    this.#call({ method: 'requestKeyframe', args: [encoding] })
  }

  /** Sets the bitrate of an encode from the next picture on. VP8 starts again with a keyframe. */
  setBitrate(encoding: VideoEncoding, bitrateBps: number): void {
    this.#bitratesBps.set(encoding, bitrateBps)
    this.#call({ method: 'setBitrate', args: [encoding, bitrateBps] })
  }

  /** How much work the picture may take from now on. */
  setEffort(effort: VideoEffort): void {
    this.#effort = effort
    this.#call({ method: 'setEffort', args: [effort] })
  }

  /** Run the H264 encode: any member, recording or stream needs it. */
  setH264Enabled(on: boolean): void {
    if (this.#enabled.H264 === on) return
    this.#enabled.H264 = on
    this.#call({ method: 'setH264Enabled', args: [on] })
  }

  /** Run the VP8 encode: some member takes no H264. */
  setVp8Enabled(on: boolean): void {
    if (this.#enabled.VP8 === on) return
    this.#enabled.VP8 = on
    this.#call({ method: 'setVp8Enabled', args: [on] })
  }

  /** Run the small H264 encode: some member's network does not carry the other. */
  setSmallEnabled(on: boolean): void {
    if (this.#enabled['H264-small'] === on) return
    this.#enabled['H264-small'] = on
    this.#call({ method: 'setSmallEnabled', args: [on] })
  }

  onThread(thread: ComposingThread | null, room: number): void {
    this.#thread = thread
    this.#room = room
    if (this.#closing) this.#onClosed()
    else if (thread) this.#tellAll(thread)
  }

  onMessage(message: FromThread): void {
    if (message.kind === 'closed') this.#onClosed()
    if (this.#closing) return
    switch (message.kind) {
      case 'frame':
        this.#deliver(message)
        break
      case 'keyframe wanted':
        this.#options.onKeyframeWanted(message.memberId)
        break
      case 'file taken':
        this.#files.get(message.playbackId)?.giveBack(message.memory)
        break
      case 'fault':
        this.#options.onFault(message.where, message.error)
        break
      case 'preview failed':
        this.#options.onPreviewFailed(message.error)
    }
  }

  /** No frame comes after this call. Resolves when the thread has freed everything. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    for (const file of this.#files.values()) file.close()
    this.#files.clear()
    const { promise, resolve } = Promise.withResolvers<void>()
    const timeout = setTimeout(resolve, CLOSE_TIMEOUT_MS)
    this.#onClosed = resolve
    if (this.#thread) this.#thread.post({ kind: 'close', room: this.#room })
    else resolve()
    await promise
    clearTimeout(timeout)
    this.#options.threads.remove(this.#room)
    // The thread has done this, unless it has ended.
    await Promise.all(previewFiles(this.#options.previewFile).map((file) => rm(file, { force: true })))
  }

  #tellAll(thread: ComposingThread): void {
    const { width, height, fps, nameLabels, previewFile } = this.#options
    const options = { width, height, fps, nameLabels, previewFile }
    thread.post({ kind: 'open', room: this.#room, options })
    for (const { media } of this.#members.values()) this.#call({ method: 'setMember', args: [media] })
    this.#call({ method: 'setTiles', args: [this.#tiles] })
    for (const bitrate of this.#bitratesBps) this.#call({ method: 'setBitrate', args: bitrate })
    if (this.#effort !== null) this.#call({ method: 'setEffort', args: [this.#effort] })
    this.#call({ method: 'setH264Enabled', args: [this.#enabled.H264] })
    this.#call({ method: 'setVp8Enabled', args: [this.#enabled.VP8] })
    this.#call({ method: 'setSmallEnabled', args: [this.#enabled['H264-small']] })
    for (const file of this.#files.values()) file.sendAgain()
  }

  #call(call: MixerCall): void {
    if (!this.#closing) this.#thread?.post({ kind: 'call', room: this.#room, ...call })
  }

  #isWanted({ media }: Member): boolean {
    const isWatched = Object.values(this.#enabled).includes(true)
    return isWatched && showsPicture(media) && this.#tiled.has(media.memberId)
  }

  #handOver(memberId: string, member: Member, frame: ReceivedVideoFrame): void {
    const { codec, keyframe, arrivedAtMs } = frame
    if (this.#closing || !this.#thread) return
    if (!this.#thread.hasRoom || (member.needsKeyframe && !keyframe)) {
      this.#leaveOut(memberId, member, arrivedAtMs)
      return
    }
    member.needsKeyframe = false
    member.isOn = true
    const showAtMs = this.#timing.showAtMs(memberId, frame)
    // A view of memory that belongs to nobody else can be transferred, which copies nothing.
    const isOwn = frame.data.byteLength === frame.data.buffer.byteLength
    const data = isOwn ? (frame.data.buffer as ArrayBuffer) : new Uint8Array(frame.data).buffer
    this.#thread.post(
      {
        kind: 'frame',
        room: this.#room,
        memberId,
        frame: { codec, data: new Uint8Array(data), keyframe, arrivedAtMs },
        showAtMs,
      },
      [data],
    )
  }

  /** The thread is too far behind. */
  #leaveOut(memberId: string, member: Member, nowMs: number): void {
    member.needsKeyframe = true
    if (nowMs - member.askedMs < KEYFRAME_REQUEST_INTERVAL_MS) return
    member.askedMs = nowMs
    this.#options.onKeyframeWanted(memberId)
  }

  #turnOff(memberId: string, member: Member): void {
    if (!member.isOn) return
    member.isOn = false
    this.#timing.end(memberId)
    this.#call({ method: 'endOfVideo', args: [memberId] })
  }

  #deliver({ encoding, data, keyframe, rtpTimestamp, capturedAtMs }: ComposedFrame): void {
    const frame = this.#frame
    frame.encoding = encoding
    frame.data = Buffer.from(data.buffer)
    frame.keyframe = keyframe
    frame.rtpTimestamp = rtpTimestamp
    frame.capturedAtMs = capturedAtMs
    // One that was on its way when the encode was turned off.
    if (this.#enabled[encoding]) this.#options.onFrame(frame)
  }
}
