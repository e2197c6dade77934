import type { Clock } from '../clock.ts'
import { hashApiToken, sameHash } from '../secrets/api-token-secret.ts'
import type { Storage } from '../storage/storage.ts'
import { noteUse, type ShownApiToken } from './api-tokens.ts'
import { KnownCredentials } from './known-credentials.ts'

/** Checks the API tokens that requests present. */
export interface Credentials {
  /**
   * Finds the API token of a project by its secret. It takes the same time for known and unknown projects.
   * @returns undefined when project or secret is wrong
   */
  find(projectId: string, secret: string): Promise<ShownApiToken | undefined>
  /**
   * Caches the token of the given credentials until any token changes.
   * @param credentials as the client sent them, such as the value of an `Authorization` header
   * @param lookUp finds the token when it is not in the cache
   * @returns the token itself when it is cached; otherwise a promise of what `lookUp` finds
   */
  recall(
    credentials: string,
    lookUp: () => Promise<ShownApiToken | undefined>,
  ): ShownApiToken | Promise<ShownApiToken | undefined>
  /** Whether a token that was found earlier is still there, with this secret. */
  isCurrent(token: Pick<ShownApiToken, 'id' | 'project_id'>, secretHash: string): Promise<boolean>
  /**
   * A number that changes whenever any process may have changed tokens. Undefined if the database cannot tell without
   * a wait.
   */
  version(): number | undefined
  /** Records that a token was used. The caller does not wait for it, and errors are ignored. */
  noteUse(token: ShownApiToken): void
}

/** Compared when the project has no tokens, so that unknown projects take as long as known ones. */
const NO_HASH = '0'.repeat(64)

/** Creates {@link Credentials} from the tokens in storage. */
export function createCredentials({
  storage,
  clock,
}: {
  storage: Pick<Storage, 'apiTokens'>
  clock: Pick<Clock, 'now'>
}): Credentials {
  const known = new KnownCredentials(storage.apiTokens)
  return {
    async find(projectId, secret) {
      const hash = hashApiToken(secret)
      const tokens = await storage.apiTokens.list(projectId)
      if (tokens.length === 0) sameHash(hash, NO_HASH)
      // All tokens are compared, so that the time does not reveal which one matched.
      const matching = tokens.filter((candidate) => sameHash(hash, candidate.hash))
      return matching[0]
    },
    async isCurrent({ id, project_id }, secretHash) {
      const tokens = await storage.apiTokens.list(project_id)
      return tokens.some((token) => token.id === id && sameHash(token.hash, secretHash))
    },
    version: () => storage.apiTokens.version(),
    recall: (credentials, lookUp) => known.find(credentials, lookUp),
    noteUse: (token) => noteUse(storage.apiTokens, token, clock.now()),
  }
}
