import { type Actor, recordAct } from '../audit/audit.ts'
import type { Clock } from '../clock.ts'
import { newId } from '../ids.ts'
import { sameHash } from '../secrets/api-token-secret.ts'
import { hashConferenceToken, newConferenceToken } from '../secrets/conference-token-secret.ts'
import { seal, unseal } from '../secrets/sealing.ts'
import type { ListPage, ListRequest } from '../storage/list-page.ts'
import type { ConferenceTokenRecord, RoomRecord } from '../storage/records.ts'
import type { Storage } from '../storage/storage.ts'
import { unrecognized } from './changes.ts'
import { type Conference, isConference } from './conference.ts'
import type { LiveSessions } from './live-sessions.ts'
import { DEFAULT_PERMISSIONS, PERMISSIONS } from './permissions.ts'
import { ROOM_TOKEN_DEFAULTS, type RoomTokenClaims } from './room-token.ts'
import { conferenceTokenKey } from './token-key.ts'

/** A conference token as the API shows it to its project. */
export type ShownConferenceToken = Pick<ConferenceTokenRecord, 'id' | 'name' | 'scopes' | 'created_at'> & {
  /** The secret itself. */
  token: string
  /** Name of the conference. */
  conference_name: string
}

/** The tokens of all conferences. */
export interface ConferenceTokens {
  /** @throws Refusal `provided_id_is_unrecognized` */
  get(projectId: string, id: string): Promise<ShownConferenceToken>
  /** @throws Refusal `provided_id_is_unrecognized` when there is no such conference */
  listOfConference(
    projectId: string,
    conferenceId: string,
    request: ListRequest,
  ): Promise<ListPage<ShownConferenceToken>>
  /**
   * Gives the token a new secret. The old one admits nobody from then on, and members who are in a session with it
   * are removed.
   * @throws Refusal `provided_id_is_unrecognized`
   */
  reset(projectId: string, id: string, actor: Actor): Promise<ShownConferenceToken>
  /**
   * Returns what a token allows its bearer.
   * @returns undefined if the value is not a conference token, or not one any more
   */
  redeem(token: string): Promise<RoomTokenClaims | undefined>
}

export interface ConferenceTokensOptions {
  storage: Storage
  clock: Clock
  sealingKey: Uint8Array
  sessions: Pick<LiveSessions, 'voidToken'>
}

const sealedAs = (id: string) => `conference-token:${id}`

/**
 * Creates the two tokens of a new conference. The moderator's is last, so that it comes first in lists, which are
 * newest first.
 */
export function newConferenceTokens(
  projectId: string,
  conferenceId: string,
  sealingKey: Uint8Array,
  now: number,
): ConferenceTokenRecord[] {
  const roles = [
    { name: 'guest', scopes: DEFAULT_PERMISSIONS },
    { name: 'moderator', scopes: PERMISSIONS },
  ]
  return roles.map(({ name, scopes }) => {
    const id = newId()
    return {
      id,
      project_id: projectId,
      conference_id: conferenceId,
      name,
      scopes: [...scopes],
      ...newSecret(id, sealingKey),
      created_at: now,
      updated_at: now,
    }
  })
}

function newSecret(id: string, sealingKey: Uint8Array): Pick<ConferenceTokenRecord, 'hash' | 'sealed'> {
  const token = newConferenceToken()
  return { hash: hashConferenceToken(token), sealed: seal(sealingKey, sealedAs(id), token) }
}

/**
 * Finds the token with this hash.
 * @returns undefined if there is none, or if it now has another secret
 */
export async function findConferenceToken(
  storage: Pick<Storage, 'conferenceTokens'>,
  hash: string,
): Promise<ConferenceTokenRecord | undefined> {
  const record = await storage.conferenceTokens.findByHash(hash)
  return record && sameHash(record.hash, hash) ? record : undefined
}

/**
 * Finds a conference by one of its tokens.
 * @returns undefined if the value is not a conference token, or not one any more
 */
export async function findConferenceOf(
  storage: Storage,
  token: string,
): Promise<{ record: ConferenceTokenRecord; conference: Conference } | undefined> {
  const record = await findConferenceToken(storage, hashConferenceToken(token))
  const room = record && (await storage.rooms.find(record.project_id, record.conference_id))
  return room && isConference(room) ? { record, conference: room } : undefined
}

export function createConferenceTokens(options: ConferenceTokensOptions): ConferenceTokens {
  const { storage, clock, sealingKey, sessions } = options

  const show = (
    { id, name, scopes, sealed, created_at }: ConferenceTokenRecord,
    conference: Pick<RoomRecord, 'name'>,
  ): ShownConferenceToken => ({
    id,
    name,
    scopes,
    created_at,
    token: unseal(sealingKey, sealedAs(id), sealed),
    conference_name: conference.name,
  })

  /** A token is deleted with its conference, so it has one; unless that is being deleted now. */
  async function conferenceOf(record: ConferenceTokenRecord): Promise<RoomRecord> {
    const conference = await storage.rooms.find(record.project_id, record.conference_id)
    if (!conference) throw unrecognized()
    return conference
  }

  return {
    async get(projectId, id) {
      const record = await storage.conferenceTokens.find(projectId, id)
      if (!record) throw unrecognized()
      return show(record, await conferenceOf(record))
    },

    async listOfConference(projectId, conferenceId, request) {
      const conference = await storage.rooms.find(projectId, conferenceId)
      if (!conference?.conference) throw unrecognized()
      const page = await storage.conferenceTokens.list(projectId, conferenceId, request)
      return { ...page, rows: page.rows.map((record) => show(record, conference)) }
    },

    async reset(projectId, id, actor) {
      const now = clock.now()
      const changes = { ...newSecret(id, sealingKey), updated_at: now }
      const { before, record } = await storage.transaction(async (tx) => {
        const before = await tx.conferenceTokens.find(projectId, id)
        const record = before && (await tx.conferenceTokens.update(projectId, id, changes))
        if (!record) throw unrecognized()
        await recordAct(tx, { actor, action: 'conference_token.reset', projectId, target: id }, now)
        return { before, record }
      })
      await sessions.voidToken(projectId, conferenceTokenKey(before.hash), 'token_reset')
      return show(record, await conferenceOf(record))
    },

    async redeem(token) {
      const found = await findConferenceOf(storage, token)
      return found && claimsOf(found.record, found.conference.name, clock.now())
    },
  }
}

/** Claims of somebody who joins with a conference token. Time windows, sizes and the like come from the conference. */
function claimsOf(record: ConferenceTokenRecord, roomName: string, now: number): RoomTokenClaims {
  return {
    ...ROOM_TOKEN_DEFAULTS,
    // Many people share the token, so each gets an own id.
    id: newId(),
    project_id: record.project_id,
    room_name: roomName,
    conference_token_hash: record.hash,
    permissions: record.scopes,
    auto_create_room: false,
    issued_at: now,
    expires_at: Number.POSITIVE_INFINITY,
  }
}
