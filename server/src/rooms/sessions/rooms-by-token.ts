import type { Clock } from '../../clock.ts'
import { Refusal } from '../../errors/refusal.ts'
import { isPassingFailure } from '../../storage/passing-failure.ts'
import type { Fps, RoomRecord } from '../../storage/records.ts'
import { type Storage, UniqueViolation } from '../../storage/storage.ts'
import { findConferenceToken } from '../conference-tokens.ts'
import { newRoom } from '../room-defaults.ts'
import type { RoomTokenGrant } from '../room-token.ts'
import { checkAdmission } from './admission.ts'
import { refuseBanned } from './session-bans.ts'
import { ADMISSION_PATIENCE_MS } from './session-history.ts'
import { OverTime, within } from './within.ts'

export interface RoomsByTokenOptions {
  storage: Storage
  clock: Clock
  /** Frames per second of rooms that a join creates. */
  fps: Fps
}

/** Finds the rooms of tokens, and creates rooms for tokens that allow it. */
export class RoomsByToken {
  readonly #options: RoomsByTokenOptions

  constructor(options: RoomsByTokenOptions) {
    this.#options = options
  }

  /**
   * Checks that a room token has not been revoked. Conference tokens are not checked here: each use looks them up.
   * @throws Refusal `not_permitted` when it was revoked, `unavailable` when the database cannot be asked
   */
  async checkToken({ id, project_id, conference_token_hash }: RoomTokenGrant): Promise<void> {
    if (conference_token_hash !== undefined) return
    const revoked = await this.fromDatabase(this.#options.storage.revokedRoomTokens.findAmong([id]))
    if (revoked.some((one) => one.project_id === project_id)) refuseBanned('token_revoked')
  }

  /**
   * Finds the room of a token and checks that the token may be used for it now.
   * @returns null if the room does not exist and a join would create it
   * @throws Refusal `room_missing`, `too_early`, `too_late`, `not_permitted`, `unavailable`
   */
  async admit(grant: RoomTokenGrant): Promise<RoomRecord | null> {
    const room = (await this.fromDatabase(this.#find(grant))) ?? null
    checkAdmission(grant, room, this.#options.clock.now())
    return room
  }

  /**
   * Creates the room that a token describes.
   * @throws Refusal as {@link admit}
   */
  create(grant: RoomTokenGrant): Promise<RoomRecord> {
    return this.fromDatabase(this.#create(grant))
  }

  /**
   * Waits for the database for a limited time.
   * @throws Refusal `unavailable` when it cannot be used now
   */
  async fromDatabase<T>(work: Promise<T>): Promise<T> {
    try {
      return await within(this.#options.clock, ADMISSION_PATIENCE_MS, work)
    } catch (error) {
      if (!(error instanceof OverTime || isPassingFailure(error))) throw error
      const message = 'The server cannot use its database now. Join again in a few seconds.'
      throw new Refusal('unavailable', { message, cause: error })
    }
  }

  /**
   * Finds the room by name. A conference token finds its own conference, even if another room has taken the name
   * since.
   */
  async #find(grant: RoomTokenGrant): Promise<RoomRecord | undefined> {
    const { storage } = this.#options
    const { project_id, room_name, conference_token_hash: hash } = grant
    if (hash === undefined) return storage.rooms.findByName(project_id, room_name)
    const token = await findConferenceToken(storage, hash)
    if (!token) {
      throw new Refusal('not_permitted', 'The conference token is not valid any more. Ask for the new one.')
    }
    return storage.rooms.find(token.project_id, token.conference_id)
  }

  async #create(grant: RoomTokenGrant): Promise<RoomRecord> {
    const { storage, clock, fps } = this.#options
    const settings = {
      fps,
      display_name: grant.room_display_name,
      enable_room_previews: grant.enable_room_previews,
      sync_audio_video: grant.sync_audio_video,
      meta: grant.room_meta,
    }
    const room = newRoom(grant.project_id, grant.room_name, settings, clock.now())
    try {
      await storage.rooms.insert(room)
      return room
    } catch (error) {
      // Another request created the room meanwhile.
      const existing = await storage.rooms.findByName(grant.project_id, grant.room_name)
      if (!(error instanceof UniqueViolation) || !existing) throw error
      checkAdmission(grant, existing, clock.now())
      return existing
    }
  }
}
