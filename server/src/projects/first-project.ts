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

/** Held while it is looked after, so that several servers that start at once on one database make one project. */
const FIRST_PROJECT = 'first-project'

type Preset = Pick<Config, 'projectId' | 'apiToken'>
type TokenStorage = Pick<Storage, 'apiTokens' | 'audit'>

/**
 * Ensures that there is a project: from the configuration, otherwise from storage, otherwise new. A preset token works
 * from then on: a changed one replaces the earlier preset one. Tokens that were created otherwise stay.
 * @param now Unix milliseconds
 * @returns the project's id
 */
export function ensureFirstProject(storage: Storage, config: Preset, now: number): Promise<string> {
  return storage.transaction(async (tx) => {
    await tx.sharedFacts.hold(FIRST_PROJECT)
    const projects = await tx.projects.list()
    const projectId = config.projectId ?? projects[0]?.id ?? newId()
    if (!projects.some((project) => project.id === projectId)) {
      const name = 'First project'
      await tx.projects.insert({ id: projectId, name, created_at: now })
      await recordAct(tx, { actor: SERVER, action: 'project.create', projectId, details: { name } }, now)
    }
    if (config.apiToken !== null) await ensurePresetToken(tx, projectId, config.apiToken, now)
    return projectId
  })
}

async function ensurePresetToken(
  tx: TokenStorage,
  projectId: string,
  token: string,
  now: number,
): Promise<void> {
  const tokens = await tx.apiTokens.list(projectId)
  const hash = hashApiToken(token)
  if (tokens.some((one) => sameHash(one.hash, hash))) return
  for (const earlier of tokens.filter((one) => one.name === PRESET)) {
    await tx.apiTokens.delete(projectId, earlier.id)
    await recordAct(tx, tokenRevocation(SERVER, projectId, earlier.id), now)
  }
  await insertToken(tx, { projectId, name: PRESET, token }, now)
}

/**
 * Ensures that the project has a token. Only the hash of a new one is stored, and it is shown only now. Call it when
 * the server serves: a token of a start that fails would never be shown.
 * @param now Unix milliseconds
 */
export function ensureFirstToken(
  storage: Storage,
  projectId: string,
  config: Preset,
  now: number,
): Promise<FirstProject> {
  return storage.transaction(async (tx) => {
    await tx.sharedFacts.hold(FIRST_PROJECT)
    if (config.apiToken !== null) return { projectId, apiToken: null, origin: 'preset' }
    const tokens = await tx.apiTokens.list(projectId)
    if (tokens.length > 0) return { projectId, apiToken: null, origin: 'kept' }
    const apiToken = newApiToken()
    await insertToken(tx, { projectId, name: 'first', token: apiToken }, now)
    return { projectId, apiToken, origin: 'generated' }
  })
}

async function insertToken(
  tx: TokenStorage,
  { projectId, name, token }: { projectId: string; name: string; token: string },
  now: number,
): Promise<void> {
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
