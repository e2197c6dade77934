/** Rooms with members that really send and receive. Both the API and the members confirm this. */
import path from 'node:path'
import type { Rest } from '../../acceptance/testing/rest.ts'
import { Crowd } from '../load/crowd-process.ts'
import { makeFilm } from '../media/film.ts'
import type { Stage } from '../on-a-server.ts'

export const ROOMS = 4
export const MEMBERS = 4
/** The camera's size and frame rate match a tile of a room of four. */
const CAMERA = { height: 360, fps: 20 } as const
const FILM_SECONDS = 4
/** The room's frames per second, minus the few that a measurement may miss. */
const LEAST_FPS = 19

const roomName = (room: number): string => `live-${room}`

/** Live rooms, until `close` is called. */
export class LiveRooms {
  readonly #crowd: Crowd
  readonly #rest: Rest
  #since = { atMs: 0, frames: [] as number[] }

  private constructor(crowd: Crowd, rest: Rest) {
    this.#crowd = crowd
    this.#rest = rest
  }

  /** Fills the rooms. Resolves when each member's call has been answered. */
  static async fill({ server, rest }: Stage): Promise<LiveRooms> {
    const file = path.join(server.dataDir, 'camera.ivf')
    await makeFilm(file, CAMERA, FILM_SECONDS)
    const crowd = new Crowd(server)
    const rooms = new LiveRooms(crowd, rest)
    try {
      for (let room = 0; room < ROOMS; room++) {
        const token = await rest.createRoomToken({ room_name: roomName(room) })
        for (let member = 0; member < MEMBERS; member++)
          await crowd.join(token, { as: 'member', camera: { file, ...CAMERA }, sound: 'tone' })
      }
      await crowd.goLast()
      return rooms
    } catch (error) {
      crowd.close()
      throw error
    }
  }

  /** Starts to count the frames that members receive. */
  async watch(): Promise<void> {
    this.#since = { frames: await this.#framesReceived(), atMs: performance.now() }
  }

  async #framesReceived(): Promise<number[]> {
    return (await this.#crowd.seen()).map(({ pictures }) => pictures)
  }

  /**
   * @returns frames per second that the members have received since `watch`, the slowest first
   * @throws if a member is not in a live room, or has missed frames
   */
  async confirm(): Promise<number[]> {
    const frames = await this.#framesReceived()
    const seconds = (performance.now() - this.#since.atMs) / 1000
    const rates = frames.map((count, i) => (count - this.#since.frames[i]!) / seconds).sort((a, b) => a - b)
    for (let room = 0; room < ROOMS; room++) await this.#confirmRoom(roomName(room))
    if (rates.length !== ROOMS * MEMBERS || rates.some((rate) => rate < LEAST_FPS)) {
      throw new Error(
        `not live: members received ${rates.map((rate) => rate.toFixed(1)).join(', ')} frames/s`,
      )
    }
    return rates
  }

  async #confirmRoom(name: string): Promise<void> {
    const live = (await this.#rest.sessionsOf(name)).filter(({ status }) => status === 'in-progress')
    const members = await Promise.all(live.map(({ id }) => this.#rest.members(id)))
    const present = members.flat().filter(({ leave_time }) => leave_time === null)
    if (live.length === 1 && present.length === MEMBERS) return
    throw new Error(`not live: ${name} has ${live.length} sessions and ${present.length} members`)
  }

  close(): void {
    this.#crowd.close()
  }
}
