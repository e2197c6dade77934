import type { Clock } from '../clock.ts'
import { hashApiToken, sameHash } from '../secrets/api-token-secret.ts'
import type { Storage } from '../storage/storage.ts'
import { noteUse, type ShownApiToken } from './api-tokens.ts'
import { KnownCredentials } from './known-credentials.ts'

/** Checks the API tokens that requests present. */
export interface Credentials {
  /**
   * Finds the API token of a project by its secret. It takes as long for an unknown project as for a known one.
   * @returns undefined when project or secret is wrong
   */
  find(projectId: string, secret: string): Promise<ShownApiToken | undefined>
  /**
   * Remembers which token credentials stand for, until any token changes.
   * @param credentials as they were presented, such as the value of an `Authorization` header
   * @param lookUp finds their token when it is not known
   * @returns the token at once where it is known; else what `lookUp` finds
   */
  recall(
    credentials: string,
    lookUp: () => Promise<ShownApiToken | undefined>,
  ): ShownApiToken | Promise<ShownApiToken | undefined>
  /** Notes that a token let somebody in. Nobody waits for it, and nothing fails with it. */
  noteUse(token: ShownApiToken): void
}

/** Compared against when the project has no tokens, so that unknown projects take as long as known ones. */
const NO_HASH = '0'.repeat(64)

/** {@link Credentials} by the tokens in storage. */
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
      // All are compared, so that the time does not tell which one matched.
      const matching = tokens.filter((candidate) => sameHash(hash, candidate.hash))
      return matching[0]
    },
    recall: (credentials, lookUp) => known.find(credentials, lookUp),
    noteUse: (token) => noteUse(storage.apiTokens, token, clock.now()),
  }
}
