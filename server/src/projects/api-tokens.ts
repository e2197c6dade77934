import { type Actor, type AdministrativeAct, recordAct } from '../audit/audit.ts'
import type { Clock } from '../clock.ts'
import { Refusal } from '../errors/refusal.ts'
import { newId } from '../ids.ts'
import { hashApiToken, newApiToken } from '../secrets/api-token-secret.ts'
import type { ApiTokenRepository } from '../storage/interfaces/projects.ts'
import type { ApiTokenRecord, Scope } from '../storage/records.ts'
import type { Storage } from '../storage/storage.ts'
import { checkName } from './names.ts'
import { ALL_SCOPES, isScope } from './scopes.ts'

/** A token as it may be shown, without the hash of its secret. */
export type ShownApiToken = Omit<ApiTokenRecord, 'hash'>

/** A new token with its secret, which is available only now. */
export interface FreshApiToken {
  token: ShownApiToken
  /** The token itself. Only its hash is stored. */
  secret: string
}

/** The API tokens of all projects. */
export interface ApiTokens {
  /**
   * @param scopes at least one; duplicates are ignored
   * @param by by default the author of all changes
   * @throws Refusal `provided_id_is_unrecognized` when the project does not exist, `invalid_auth_token_permissions`
   * when a scope is unknown or none is given, `invalid_parameter` for a name that `checkName` refuses
   */
  create(projectId: string, name: string, scopes: readonly string[], by?: Actor): Promise<FreshApiToken>
  /** Oldest first. */
  list(projectId: string): Promise<ShownApiToken[]>
  /**
   * Gives a token a new secret. The old one stops working at once.
   * @throws Refusal `provided_id_is_unrecognized`
   */
  rotate(projectId: string, id: string): Promise<FreshApiToken>
  /**
   * Makes a token stop working at once.
   * @throws Refusal `provided_id_is_unrecognized`
   */
  revoke(projectId: string, id: string, by?: Actor): Promise<void>
}

const unrecognized = (attribute: string) => new Refusal('provided_id_is_unrecognized', { attribute })

export interface ApiTokensOptions {
  storage: Storage
  clock: Clock
  /** Author of the changes, for the audit log. */
  actor: Actor
}

export function createApiTokens({ storage, clock, actor }: ApiTokensOptions): ApiTokens {
  return {
    async create(projectId, name, scopes, by = actor) {
      checkName(name)
      const granted = checkedScopes(scopes)
      const secret = newApiToken()
      const record: ApiTokenRecord = {
        id: newId(),
        project_id: projectId,
        name,
        hash: hashApiToken(secret),
        scopes: granted,
        last_used_at: null,
        created_at: clock.now(),
      }
      await storage.transaction(async (tx) => {
        if (!(await tx.projects.find(projectId))) throw unrecognized('project_id')
        await tx.apiTokens.insert(record)
        await recordAct(tx, tokenCreation(by, record), record.created_at)
      })
      return { token: shown(record), secret }
    },
    list: async (projectId) => (await storage.apiTokens.list(projectId)).map(shown),
    async rotate(projectId, id) {
      const secret = newApiToken()
      const changes = { hash: hashApiToken(secret), last_used_at: null }
      const record = await storage.transaction(async (tx) => {
        const rotated = await tx.apiTokens.update(projectId, id, changes)
        if (!rotated) throw unrecognized('id')
        await recordAct(tx, { actor, action: 'api_token.rotate', projectId, target: id }, clock.now())
        return rotated
      })
      return { token: shown(record), secret }
    },
    async revoke(projectId, id, by = actor) {
      await storage.transaction(async (tx) => {
        if (!(await tx.apiTokens.delete(projectId, id))) throw unrecognized('id')
        await recordAct(tx, tokenRevocation(by, projectId, id), clock.now())
      })
    },
  }
}

/** Audit log entry for the creation of a token. */
export const tokenCreation = (
  actor: Actor,
  { id, project_id, name, scopes }: ApiTokenRecord,
): AdministrativeAct => ({
  actor,
  action: 'api_token.create',
  projectId: project_id,
  target: id,
  details: { name, scopes },
})

/** Audit log entry for the revocation of a token. */
export const tokenRevocation = (actor: Actor, projectId: string, id: string): AdministrativeAct => ({
  actor,
  action: 'api_token.revoke',
  projectId,
  target: id,
})

/** Precision of the time of last use. */
const USE_STEP_MS = 60_000

/**
 * Records the time when a token was used, so that an operator sees whether it is still in use. The caller does not wait
 * for the write, and errors are ignored.
 * @param now Unix milliseconds
 */
export function noteUse(tokens: Pick<ApiTokenRepository, 'update'>, token: ShownApiToken, now: number): void {
  if (token.last_used_at !== null && now - token.last_used_at < USE_STEP_MS) return
  tokens.update(token.project_id, token.id, { last_used_at: now }).catch(() => {})
}

function shown({ hash: _, ...rest }: ApiTokenRecord): ShownApiToken {
  return rest
}

function checkedScopes(scopes: readonly string[]): Scope[] {
  const granted = [...new Set(scopes)].filter(isScope)
  if (granted.length > 0 && granted.length === new Set(scopes).size) return granted.sort()
  const message = `must be one or more of ${ALL_SCOPES.join(', ')}`
  throw new Refusal('invalid_auth_token_permissions', { attribute: 'scopes', message })
}
