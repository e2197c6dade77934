import { availableParallelism } from 'node:os'
import { type Guard, unguarded } from '../../containment.ts'
import type { MemberMedia, Tile } from '../../media/channel.ts'
import { CodecError } from '../codecs/ffmpeg.ts'
import { Picture } from '../codecs/picture.ts'
import type { Rectangle } from '../codecs/planes.ts'
import type { DecodedPicture } from '../codecs/video-decoder.ts'
import type { EncodedVideoFrame, VideoEffort, VideoEncoding } from '../media-types.ts'
import { Camera, type CameraFrame } from './camera.ts'
import { CanvasEncoder } from './canvas-encoder.ts'
import { encoderSlices } from './encoder-slices.ts'
import { NameCards } from './name-cards.ts'
import { NameLabels } from './name-labels.ts'
import { showsPicture } from './shows-picture.ts'
import { TickClock } from './tick-clock.ts'
import { layOutTiles } from './tile-layout.ts'
import { BACKGROUND, type TileView } from './tile-view.ts'
import { defaultVideoBitrateBps, SMALL_BITRATE_BPS, SMALL_BUFFER_S, smallSize } from './video-bitrate.ts'

/** After this long without a new picture, a camera counts as off, so that its last picture is not shown frozen. */
const STALE_AFTER_MS = 2000
/** Time for drawing name cards and labels in one tick. Each takes milliseconds; the others wait for the next tick. */
const CARD_BUDGET_MS = 4

export interface VideoMixerOptions {
  width: number
  height: number
  fps: number
  /** For each of the H264 and VP8 encodes. Default by size and rate, see {@link defaultVideoBitrateBps}. */
  bitrateBps?: number
  /** Draw the names of members onto the tiles of their cameras. */
  nameLabels?: boolean
  /** The clock of all times here. By default `performance.now()`. */
  now?: () => number
  /** Each encoded picture of each running codec. The frame object and its data are lent for the call. */
  onFrame: (frame: EncodedVideoFrame) => void
  /** Each composed picture once it is encoded; lent for the call. */
  onPicture?: (picture: Picture, nowMs: number) => void
  /** The decoder has lost its reference or has just started: ask this camera for a keyframe. At most twice a second. */
  onKeyframeWanted: (memberId: string) => void
  /** Contains what the mixer's own clock runs. Without it faults are the caller's. */
  guard?: Guard
  /** Ticks of the mixer's own clock that it made a picture at, or had no time for. */
  countTicks?: (made: number, leftOut: number) => void
  /** Called with the time that each encode of a picture took. */
  countEncode?: (tookMs: number) => void
}

/** The picture of a played file. */
export interface FilePicture {
  /** What its tile shows, or null for nothing. Lent until the next call of any other method. */
  readonly picture: DecodedPicture | null
  /** Changes with every new `picture`. */
  readonly version: number
  /** Moves on to the picture of this moment. */
  advance(nowMs: number): void
}

interface MixedMember {
  media: MemberMedia
  camera: Camera
}

/** The room's one composed picture. Starts with no codec enabled, and does nothing while that is so. */
export class VideoMixer {
  readonly #options: VideoMixerOptions
  readonly #canvas: Picture
  readonly #cards = new NameCards()
  /** Null if the room draws none. */
  readonly #labels: NameLabels | null
  readonly #encoders: Record<VideoEncoding, CanvasEncoder>
  readonly #members = new Map<string, MixedMember>()
  /** Keyed by the playback's id. */
  readonly #files = new Map<string, FilePicture>()
  /** In drawing order. */
  #tiles: TileView[] = []
  /** Members who have a tile. */
  #tiled: ReadonlySet<string> = new Set()
  /** The canvas has changed since the last picture was encoded. */
  #isChanged = true
  #unchangedSinceMs = 0
  /** Time spent on name cards and labels in this tick. */
  #cardsMs = 0
  #clock: TickClock
  #fps: number
  #stopped = false

  constructor(options: VideoMixerOptions) {
    const { width, height, fps, onFrame } = options
    this.#options = options
    this.#canvas = new Picture(width, height)
    this.#canvas.fill(BACKGROUND)
    this.#labels = options.nameLabels ? new NameLabels() : null
    const bitrateBps = options.bitrateBps ?? defaultVideoBitrateBps(width, height, fps)
    const slices = encoderSlices(options, availableParallelism())
    const encoderOptions = {
      width,
      height,
      fps,
      bitrateBps,
      slices,
      onFrame,
      countEncode: options.countEncode,
    }
    this.#encoders = {
      H264: new CanvasEncoder('H264', encoderOptions),
      VP8: new CanvasEncoder('VP8', encoderOptions),
      'H264-small': new CanvasEncoder('H264-small', {
        ...encoderOptions,
        ...smallSize(width, height),
        slices: 1,
        bitrateBps: SMALL_BITRATE_BPS,
        bufferSeconds: SMALL_BUFFER_S,
      }),
    }
    this.#fps = fps
    this.#clock = this.#newClock()
  }

  /** Adds a member or replaces what is known about it. */
  setMember(media: MemberMedia): void {
    if (this.#stopped) return
    const known = this.#members.get(media.memberId)
    if (!known) this.#members.set(media.memberId, { media, camera: this.#newCamera(media.memberId) })
    else this.#replace(known, media)
    if (known && !showsPicture(media)) known.camera.clear()
  }

  /** Forgets a member. Its tile is empty until the next layout. */
  removeMember(memberId: string): void {
    this.#members.get(memberId)?.camera.clear()
    this.#members.delete(memberId)
  }

  /** Shown in the tiles of this playback. */
  addFile(playbackId: string, file: FilePicture): void {
    if (!this.#stopped) this.#files.set(playbackId, file)
  }

  /** Its tile is empty from the next picture on. To be called before the file is closed. */
  removeFile(playbackId: string): void {
    this.#files.delete(playbackId)
  }

  /** Replaces the whole layout. Later tiles lie over earlier ones. */
  setTiles(tiles: readonly Tile[]): void {
    if (this.#stopped) return
    const before = this.#tiles
    this.#tiles = layOutTiles(tiles, before, this.#canvas)
    this.#tiled = new Set(this.#tiles.map((tile) => tile.sourceId))
    for (const tile of before) if (!this.#tiles.includes(tile)) tile.close()
    this.#canvas.fill(BACKGROUND)
    this.#isChanged = true
    for (const [memberId, { camera }] of this.#members) if (!this.#tiled.has(memberId)) camera.clear()
  }

  /** Decodes at once, and shows the picture at `showAtMs` or later. Frames of unknown members, muted cameras and members without a tile are dropped. */
  pushFrame(memberId: string, frame: CameraFrame, showAtMs = frame.arrivedAtMs): void {
    const member = this.#members.get(memberId)
    if (!member) return
    if (this.#isWanted(member)) member.camera.push(frame, showAtMs)
    // After a frame that was left out, decoding needs a keyframe.
    else member.camera.clear()
  }

  /** A frame was lost on its way here. The picture stands still until a keyframe comes, which is asked for. */
  skipFrame(memberId: string, nowMs: number): void {
    this.#members.get(memberId)?.camera.skip(nowMs)
  }

  /** The camera's leg is gone. Its tile shows the name card from the next tick on. */
  endOfVideo(memberId: string): void {
    this.#members.get(memberId)?.camera.clear()
  }

  /** Where the tiles lie on the canvas, in pixels and drawing order. */
  tileAreas(): Rectangle[] {
    return this.#tiles.map(({ area }) => ({ ...area }))
  }

  /** Makes the next tick's picture a keyframe; coalesced, at most four a second. */
  requestKeyframe(encoding: VideoEncoding): void {
    this.#encoders[encoding].requestKeyframe()
  }

  /** Sets the bitrate of an encode from the next picture on. VP8 starts again with a keyframe. */
  setBitrate(encoding: VideoEncoding, bitrateBps: number): void {
    this.#encoders[encoding].setBitrate(bitrateBps)
  }

  /** From the next picture on, which is a keyframe if this is a change. */
  setEffort(effort: VideoEffort): void {
    if (this.#stopped) return
    const { fps } = effort
    for (const encoder of Object.values(this.#encoders)) encoder.setEffort(effort)
    if (fps === this.#fps) return
    this.#fps = fps
    const isRunning = this.#clock.isRunning
    this.#clock.stop()
    this.#clock = this.#newClock()
    if (isRunning) this.#clock.start()
  }

  /** Run the H264 encode: any member, recording or stream needs it. */
  setH264Enabled(on: boolean): void {
    this.#setEnabled('H264', on)
  }

  /** Run the small H264 encode: some member's network does not carry the other. */
  setSmallEnabled(on: boolean): void {
    this.#setEnabled('H264-small', on)
  }

  /** Run the VP8 encode: some member takes no H264. */
  setVp8Enabled(on: boolean): void {
    this.#setEnabled('VP8', on)
  }

  /** Composes and encodes one picture as of `nowMs`. */
  tick(nowMs: number): void {
    if (this.#stopped || !this.#isWatched()) return
    for (const { camera, media } of this.#members.values())
      camera.advance(nowMs, media.isScreen ? Number.POSITIVE_INFINITY : STALE_AFTER_MS)
    for (const file of this.#files.values()) file.advance(nowMs)
    this.#cardsMs = 0
    this.#compose()
    this.#encode(nowMs)
    // A callback that took the picture may have stopped the mixer.
    if (!this.#stopped) this.#options.onPicture?.(this.#canvas, nowMs)
  }

  /** Makes pictures at the frame rate. */
  start(): void {
    if (!this.#stopped) this.#clock.start()
  }

  /** Ends the ticking and frees everything native. Final. */
  stop(): void {
    if (this.#stopped) return
    this.#stopped = true
    this.#clock.stop()
    for (const { camera } of this.#members.values()) camera.clear()
    this.#members.clear()
    this.#files.clear()
    for (const tile of this.#tiles) tile.close()
    this.#tiles = []
    for (const encoder of Object.values(this.#encoders)) encoder.setEnabled(false)
    this.#cards.close()
    this.#labels?.close()
    this.#canvas.free()
  }

  #newCamera(memberId: string): Camera {
    return new Camera(memberId, this.#options.onKeyframeWanted)
  }

  #setEnabled(encoding: VideoEncoding, on: boolean): void {
    if (!this.#stopped) this.#encoders[encoding].setEnabled(on)
  }

  #replace(member: MixedMember, media: MemberMedia): void {
    const isRenamed = member.media.name !== media.name
    member.media = media
    if (!isRenamed || !this.#labels) return
    for (const tile of this.#tiles) if (tile.sourceId === media.memberId) tile.dirty = true
  }

  #isWatched(): boolean {
    return Object.values(this.#encoders).some(({ enabled }) => enabled)
  }

  #isWanted({ media }: MixedMember): boolean {
    return this.#isWatched() && showsPicture(media) && this.#tiled.has(media.memberId)
  }

  #newClock(): TickClock {
    const { now = () => performance.now(), guard = unguarded, countTicks = () => {} } = this.#options
    return new TickClock({
      periodMs: 1000 / this.#fps,
      catchUp: 1,
      // The time at which the picture is really composed, not the one at which it was due.
      onTick: guard('picture', () => {
        countTicks(1, 0)
        this.tick(now())
      }),
      onLeftOut: (ticks) => countTicks(0, ticks),
    })
  }

  #encode(nowMs: number): void {
    if (this.#isChanged) this.#unchangedSinceMs = nowMs
    this.#isChanged = false
    const unchangedSinceMs = this.#unchangedSinceMs
    for (const encoder of Object.values(this.#encoders)) {
      encoder.encode(this.#canvas, { nowMs, unchangedSinceMs })
      if (this.#stopped) return
    }
  }

  /** Draws tiles whose content has changed, and those that lie over them. */
  #compose(): void {
    for (const tile of this.#tiles)
      if (!tile.isCovered && this.#drawSource(tile)) for (const other of tile.above) other.dirty = true
  }

  /** @returns whether anything was drawn */
  #drawSource(tile: TileView): boolean {
    const member = this.#members.get(tile.sourceId)
    if (member) return this.#draw(tile, member)
    const file = this.#files.get(tile.sourceId)
    return file ? this.#drawFile(tile, file) : this.#clear(tile)
  }

  #drawFile(tile: TileView, { picture, version }: FilePicture): boolean {
    if (!picture) return this.#clear(tile)
    if (!tile.dirty && tile.drawn === version) return false
    try {
      if (tile.drawPicture(this.#canvas, picture, true)) this.#isChanged = true
    } catch (error) {
      if (!(error instanceof CodecError)) throw error
      // The pixel format cannot be converted.
      return this.#clear(tile)
    }
    tile.drawn = version
    tile.dirty = false
    return true
  }

  #draw(tile: TileView, { media, camera }: MixedMember): boolean {
    const content = camera.picture ? camera.version : media.name
    if (!tile.dirty && tile.drawn === content) return false
    const drawn = camera.picture ? this.#drawCamera(tile, camera, media) : this.#drawCard(tile, media.name)
    if (!drawn) return false
    tile.drawn = content
    tile.dirty = false
    return true
  }

  #drawCamera(tile: TileView, camera: Camera, { isScreen = false, name }: MemberMedia): boolean {
    if (!camera.picture) return false
    try {
      if (tile.drawPicture(this.#canvas, camera.picture, isScreen)) this.#isChanged = true
      if (!isScreen) this.#drawLabel(tile, name)
      return true
    } catch (error) {
      if (!(error instanceof CodecError)) throw error
      // The pixel format cannot be converted: the member has no picture.
      camera.clear()
      return false
    }
  }

  /** A label that there is no time for waits for the next picture of the camera. */
  #drawLabel(tile: TileView, name: string): void {
    if (!this.#labels || (this.#cardsMs > CARD_BUDGET_MS && !this.#labels.has(name, tile.area))) return
    const startedMs = performance.now()
    this.#labels.drawOn(this.#canvas, tile.area, name)
    this.#cardsMs += performance.now() - startedMs
  }

  #drawCard(tile: TileView, name: string): boolean {
    const { width, height } = tile.area
    if (this.#cardsMs > CARD_BUDGET_MS && !this.#cards.has(name, width, height)) return false
    const startedMs = performance.now()
    if (tile.drawCard(this.#canvas, this.#cards.get(name, width, height))) this.#isChanged = true
    this.#cardsMs += performance.now() - startedMs
    return true
  }

  #clear(tile: TileView): boolean {
    if (!tile.dirty && tile.drawn === null) return false
    this.#canvas.fill(BACKGROUND, tile.area)
    this.#isChanged = true
    tile.drawn = null
    tile.dirty = false
    return true
  }
}
