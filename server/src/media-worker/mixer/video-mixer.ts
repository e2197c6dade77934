import { type Guard, unguarded } from '../../containment.ts'
import type { MemberMedia, RoomPart, Tile } from '../../media/channel.ts'
import { CodecError } from '../codecs/ffmpeg.ts'
import { Picture } from '../codecs/picture.ts'
import type { Rectangle } from '../codecs/planes.ts'
import type { DecodedPicture } from '../codecs/video-decoder.ts'
import type { EncodedVideoFrame, ReceivedVideoFrame, VideoCodec } from '../media-types.ts'
import { Camera } from './camera.ts'
import { CanvasEncoder } from './canvas-encoder.ts'
import type { LipSync } from './lip-sync.ts'
import { NameCards } from './name-cards.ts'
import { NameLabels } from './name-labels.ts'
import { TickClock } from './tick-clock.ts'
import { layOutTiles } from './tile-layout.ts'
import { BACKGROUND, type TileView } from './tile-view.ts'

/** After this long without a new picture, a camera counts as off, so that its last picture is not shown frozen. */
const STALE_AFTER_MS = 2000
/** Time for drawing name cards and labels in one tick. Each takes milliseconds; the others wait for the next tick. */
const CARD_BUDGET_MS = 4

/** Drawing lets the event loop go on after this long, plus the tile that is being drawn. */
const SLICE_MS = 2
/** Slices of one picture. After these it is finished at once, even if tiles keep changing. */
const MOST_SLICES = 100

export interface VideoMixerOptions {
  width: number
  height: number
  fps: 20 | 30
  /** For each of the H264 and VP8 encodes. Default by size and rate, see {@link defaultVideoBitrateBps}. */
  bitrateBps?: number
  /** Draw the names of members onto the tiles of their cameras. */
  nameLabels?: boolean
  /** The same object as the room's audio mixer has. Without it pictures are shown as soon as they are decoded. */
  lipSync?: LipSync
  /** Each encoded picture of each running codec. The frame object and its data are lent for the call. */
  onFrame: (frame: EncodedVideoFrame) => void
  /** Each composed picture once it is encoded; lent for the call. @param nowMs by `performance.now()` */
  onPicture?: (picture: Picture, nowMs: number) => void
  /** The decoder has lost its reference or has just started: ask this camera for a keyframe. At most twice a second. */
  onKeyframeWanted: (memberId: string) => void
  /** The layout was replaced: tiles may have other sizes. */
  onTilesChanged?: () => void
  /** Contains what the mixer's own clock runs. Without it faults are the caller's. */
  guard?: Guard
}

/**
 * 1.5 Mbit/s for 720p at 20 a second (SSIM .954 for rooms of camera pictures). More pixels and more pictures need
 * less than proportionally more.
 */
export function defaultVideoBitrateBps(width: number, height: number, fps: number): number {
  const bitrateBps = 1_500_000 * ((width * height) / (1280 * 720)) ** 0.75 * (fps / 20) ** 0.6
  return Math.round(bitrateBps / 50_000) * 50_000
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

/** The picture of one tick on its way to the encoders. */
interface PictureInProgress {
  nowMs: number
  slices: number
  /** Encoders that have not encoded it yet. */
  encoders: CanvasEncoder[]
}

/** Whether what this member's camera sends may be seen. */
const showsPicture = ({ videoMuted, held }: MemberMedia) => !videoMuted && !held

/** The room's one composed picture. Starts with no codec enabled, and does nothing while that is so. */
export class VideoMixer implements RoomPart<'video'> {
  readonly #options: VideoMixerOptions
  readonly #canvas: Picture
  readonly #cards = new NameCards()
  /** Null if the room draws none. */
  readonly #labels: NameLabels | null
  readonly #encoders: Record<VideoCodec, CanvasEncoder>
  readonly #members = new Map<string, MixedMember>()
  /** Keyed by the playback's id. */
  readonly #files = new Map<string, FilePicture>()
  /** In drawing order. */
  #tiles: TileView[] = []
  /** Members who have a tile. */
  #tiled: ReadonlySet<string> = new Set()
  #keyframeIntervalMs: number | null = null
  #inProgress: PictureInProgress | null = null
  /** The canvas has changed since the last picture was encoded. */
  #isChanged = true
  #unchangedSinceMs = 0
  /** Time spent on name cards and labels in this tick. */
  #cardsMs = 0
  readonly #clock: TickClock
  readonly #continue: () => void
  #stopped = false

  constructor(options: VideoMixerOptions) {
    const { width, height, fps, onFrame } = options
    this.#options = options
    this.#canvas = new Picture(width, height)
    this.#canvas.fill(BACKGROUND)
    this.#labels = options.nameLabels ? new NameLabels() : null
    const bitrateBps = options.bitrateBps ?? defaultVideoBitrateBps(width, height, fps)
    const encoderOptions = { width, height, fps, bitrateBps, onFrame }
    this.#encoders = {
      H264: new CanvasEncoder('H264', encoderOptions),
      VP8: new CanvasEncoder('VP8', encoderOptions),
    }
    const guard = options.guard ?? unguarded
    this.#continue = guard('picture', () => this.#goOn())
    this.#clock = new TickClock({
      periodMs: 1000 / fps,
      catchUp: 1,
      onTick: guard('picture', () => this.#startPicture()),
    })
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
    this.#options.lipSync?.removeMember(memberId)
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
    this.#options.onTilesChanged?.()
  }

  /** Decodes at once. Frames of unknown members, muted cameras and members without a tile are dropped. */
  pushFrame(memberId: string, frame: ReceivedVideoFrame): void {
    const member = this.#members.get(memberId)
    if (!member) return
    if (this.#isWanted(member)) member.camera.push(frame)
    // After a frame that was left out, decoding needs a keyframe.
    else member.camera.clear()
  }

  /** The camera's leg is gone. Its tile shows the name card from the next tick on. */
  endOfVideo(memberId: string): void {
    this.#members.get(memberId)?.camera.clear()
  }

  /** The largest tile of this member in pixels, or null while it has none. */
  tileSize(memberId: string): { width: number; height: number } | null {
    let largest: { width: number; height: number } | null = null
    for (const { sourceId: owner, area } of this.#tiles)
      if (owner === memberId && area.width > (largest?.width ?? 0))
        largest = { width: area.width, height: area.height }
    return largest
  }

  /** Whether this member's picture is a screen share. */
  isScreen(memberId: string): boolean {
    return this.#members.get(memberId)?.media.isScreen ?? false
  }

  /** Where the tiles lie on the canvas, in pixels and drawing order. */
  tileAreas(): Rectangle[] {
    return this.#tiles.map(({ area }) => ({ ...area }))
  }

  /** Makes the next tick's picture a keyframe; coalesced, at most four a second. */
  requestKeyframe(codec: VideoCodec): void {
    this.#encoders[codec].requestKeyframe()
  }

  /** Besides those asked for, a keyframe of each codec at least this often; null for none. */
  setKeyframeInterval(intervalMs: number | null): void {
    this.#keyframeIntervalMs = intervalMs
  }

  /** Sets the bitrate of both encodes from the next picture on. VP8 starts again with a keyframe. */
  setBitrate(bitrateBps: number): void {
    for (const encoder of Object.values(this.#encoders)) encoder.setBitrate(bitrateBps)
  }

  /** Run the H264 encode: any member, recording or stream needs it. */
  setH264Enabled(on: boolean): void {
    this.#setEnabled('H264', on)
  }

  /** Run the VP8 encode: some member takes no H264. */
  setVp8Enabled(on: boolean): void {
    this.#setEnabled('VP8', on)
  }

  /** Composes and encodes one picture as of `nowMs`, at one go. */
  tick(nowMs: number): void {
    this.#begin(nowMs)
    while (this.#work());
  }

  /** Makes pictures at the frame rate, each in slices, so that the event loop goes on between them. */
  start(): void {
    if (!this.#stopped) this.#clock.start()
  }

  /** Ends the ticking and frees everything native. Final. */
  stop(): void {
    if (this.#stopped) return
    this.#stopped = true
    this.#inProgress = null
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
    const { lipSync, fps, onKeyframeWanted } = this.#options
    return new Camera(memberId, { lipSync: lipSync ?? null, leadMs: 500 / fps, onKeyframeWanted })
  }

  #setEnabled(codec: VideoCodec, on: boolean): void {
    if (!this.#stopped) this.#encoders[codec].setEnabled(on)
  }

  #replace(member: MixedMember, media: MemberMedia): void {
    const isRenamed = member.media.name !== media.name
    member.media = media
    if (!isRenamed || !this.#labels) return
    for (const tile of this.#tiles) if (tile.sourceId === media.memberId) tile.dirty = true
  }

  #isWatched(): boolean {
    return this.#encoders.H264.enabled || this.#encoders.VP8.enabled
  }

  #isWanted({ media }: MixedMember): boolean {
    return this.#isWatched() && showsPicture(media) && this.#tiled.has(media.memberId)
  }

  #startPicture(): void {
    // The machine is too slow and still works on the last picture: leave this one out.
    if (this.#inProgress) return
    // The time at which the picture is really composed, not the one at which it was due.
    this.#begin(performance.now())
    this.#goOn()
  }

  #goOn(): void {
    try {
      if (this.#work()) setImmediate(this.#continue)
    } catch (error) {
      // The next tick begins a new one.
      this.#inProgress = null
      throw error
    }
  }

  #begin(nowMs: number): void {
    if (this.#stopped || !this.#isWatched()) return
    for (const { camera, media } of this.#members.values())
      camera.advance(nowMs, media.isScreen ? Number.POSITIVE_INFINITY : STALE_AFTER_MS)
    for (const file of this.#files.values()) file.advance(nowMs)
    this.#cardsMs = 0
    const encoders = Object.values(this.#encoders).filter(({ enabled }) => enabled)
    this.#inProgress = { nowMs, slices: 0, encoders }
  }

  /** Draws for a moment or, when all is drawn, encodes once. @returns whether there is more to do */
  #work(): boolean {
    const picture = this.#inProgress
    if (!picture) return false
    const mustFinish = ++picture.slices > MOST_SLICES
    if (this.#compose(mustFinish ? Number.POSITIVE_INFINITY : SLICE_MS) && !mustFinish) return true
    const { nowMs } = picture
    if (this.#isChanged) this.#unchangedSinceMs = nowMs
    this.#isChanged = false
    picture.encoders.shift()?.encode(this.#canvas, {
      nowMs,
      unchangedSinceMs: this.#unchangedSinceMs,
      keyframeIntervalMs: this.#keyframeIntervalMs,
    })
    // A callback that took the picture may have stopped the mixer.
    if (picture.encoders.length > 0 && !this.#stopped) return true
    this.#inProgress = null
    if (!this.#stopped) this.#options.onPicture?.(this.#canvas, nowMs)
    return false
  }

  /**
   * Draws tiles whose content has changed, and those that lie over them, until `budgetMs` have passed.
   * @returns whether it has drawn any
   */
  #compose(budgetMs: number): boolean {
    const startedMs = performance.now()
    let drew = false
    for (const tile of this.#tiles) {
      if (tile.isCovered || !this.#drawSource(tile)) continue
      drew = true
      for (const other of tile.above) other.dirty = true
      if (performance.now() - startedMs > budgetMs) break
    }
    return drew
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
