import type { Clock } from '../clock.ts'
import { ParleyError } from '../errors/parley-error.ts'
import { newId } from '../ids.ts'
import { hashApiToken, newApiToken } from '../secrets/api-token-secret.ts'
import type { ApiTokenRecord, Scope } from '../storage/records.ts'
import type { ApiTokenRepository, Storage } from '../storage/storage.ts'
import { checkName } from './names.ts'
import { ALL_SCOPES, isScope } from './scopes.ts'

/** What may be known of a token: all but what it is. */
export type ShownApiToken = Omit<ApiTokenRecord, 'hash'>

/** A token at the only moment at which it can be told. */
export interface FreshApiToken {
  token: ShownApiToken
  /** The token itself. Only its hash is stored. */
  secret: string
}

/** The API tokens of all projects. */
export interface ApiTokens {
  /**
   * @param scopes at least one; those given twice count once
   * @throws ParleyError `provided_id_is_unrecognized` when there is no such project, `invalid_auth_token_permissions`
   * when a scope is unknown or none is given, `invalid_parameter` for a name that `checkName` refuses
   */
  create(projectId: string, name: string, scopes: readonly string[]): Promise<FreshApiToken>
  /** Oldest first. */
  list(projectId: string): Promise<ShownApiToken[]>
  /**
   * Gives a token a new secret; the old one stops working at once.
   * @throws ParleyError `provided_id_is_unrecognized`
   */
  rotate(projectId: string, id: string): Promise<FreshApiToken>
  /**
   * Makes a token stop working at once.
   * @throws ParleyError `provided_id_is_unrecognized`
   */
  revoke(projectId: string, id: string): Promise<void>
}

const unrecognized = (attribute: string) =>
  new ParleyError('not_found', { code: 'provided_id_is_unrecognized', attribute })

export function createApiTokens({ storage, clock }: { storage: Storage; clock: Clock }): ApiTokens {
  return {
    async create(projectId, name, scopes) {
      checkName(name)
      const granted = checkedScopes(scopes)
      if (!(await storage.projects.find(projectId))) throw unrecognized('project_id')
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
      await storage.apiTokens.insert(record)
      return { token: shown(record), secret }
    },
    list: async (projectId) => (await storage.apiTokens.list(projectId)).map(shown),
    async rotate(projectId, id) {
      const secret = newApiToken()
      const changes = { hash: hashApiToken(secret), last_used_at: null }
      const record = await storage.apiTokens.update(projectId, id, changes)
      if (!record) throw unrecognized('id')
      return { token: shown(record), secret }
    },
    async revoke(projectId, id) {
      if (!(await storage.apiTokens.delete(projectId, id))) throw unrecognized('id')
    },
  }
}

/** The time of last use is kept to within this. */
const USE_STEP_MS = 60_000

/**
 * Notes that a token let somebody in. Nobody waits for it, and nothing fails with it: it is for people who wonder
 * whether a token is still in use.
 * @param now Unix milliseconds
 */
export function noteUse(
  tokens: Pick<ApiTokenRepository, 'update'>,
  token: ApiTokenRecord,
  now: number,
): void {
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
  throw new ParleyError('invalid', { code: 'invalid_auth_token_permissions', attribute: 'scopes', message })
}
