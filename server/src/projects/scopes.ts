import { SCOPES, type Scope } from '../resources/api-token.ts'

export type { Scope }

/** Every scope that an API token can have. */
export const ALL_SCOPES: readonly Scope[] = SCOPES

/** Whether this is the name of a scope. */
export function isScope(text: string): text is Scope {
  return (ALL_SCOPES as readonly string[]).includes(text)
}
