import { recordAct, SERVER } from '../audit/audit.ts'
import type { Config } from '../config.ts'
import { newId } from '../ids.ts'
import { hashApiToken, newApiToken, sameHash } from '../secrets/api-token-secret.ts'
import type { ApiTokenRecord } from '../storage/records.ts'
import type { Storage } from '../storage/storage.ts'
import { tokenCreation, tokenRevocation } from './api-tokens.ts'
import { ALL_SCOPES } from './scopes.ts'

/** The project that a new server starts with. */
export interface FirstProject {
  projectId: string
  /** The new token, to be shown once. Null when it was created earlier, or when the operator set it. */
  apiToken: string | null
  origin: 'preset' | 'generated' | 'kept'
}

/** Name of the token that the configuration presets. */
const PRESET = 'preset'

/**
 * Ensures that there is a project with a token: from the configuration, otherwise from storage, otherwise new. A
 * changed preset token replaces the earlier preset one. Tokens that were created otherwise stay.
 * @param now Unix milliseconds
 */
export function ensureFirstProject(
  storage: Storage,
  config: Pick<Config, 'projectId' | 'apiToken'>,
  now: number,
): Promise<FirstProject> {
  return storage.transaction(async (tx) => {
    const projects = await tx.projects.list()
    const projectId = config.projectId ?? projects[0]?.id ?? newId()
    if (!projects.some((project) => project.id === projectId)) {
      const name = 'First project'
      await tx.projects.insert({ id: projectId, name, created_at: now })
      await recordAct(tx, { actor: SERVER, action: 'project.create', projectId, details: { name } }, now)
    }
    const tokens = await tx.apiTokens.list(projectId)
    const insert = async (name: string, token: string) => {
      const record: ApiTokenRecord = {
        id: newId(),
        project_id: projectId,
        name,
        hash: hashApiToken(token),
        scopes: [...ALL_SCOPES],
        last_used_at: null,
        created_at: now,
      }
      await tx.apiTokens.insert(record)
      await recordAct(tx, tokenCreation(SERVER, record), now)
    }

    if (config.apiToken !== null) {
      const hash = hashApiToken(config.apiToken)
      if (!tokens.some((token) => sameHash(token.hash, hash))) {
        for (const token of tokens.filter((one) => one.name === PRESET)) {
          await tx.apiTokens.delete(projectId, token.id)
          await recordAct(tx, tokenRevocation(SERVER, projectId, token.id), now)
        }
        await insert(PRESET, config.apiToken)
      }
      return { projectId, apiToken: null, origin: 'preset' }
    }
    if (tokens.length > 0) return { projectId, apiToken: null, origin: 'kept' }
    const apiToken = newApiToken()
    await insert('first', apiToken)
    return { projectId, apiToken, origin: 'generated' }
  })
}
