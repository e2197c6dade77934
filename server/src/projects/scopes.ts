import type { Scope } from '../storage/records.ts'

export type { Scope }

/** Every scope that an API token can have. */
export const ALL_SCOPES: readonly Scope[] = [
  'calling',
  'chat',
  'fax',
  'management',
  'messaging',
  'numbers',
  'pubsub',
  'storage',
  'tasking',
  'video',
]

/** Whether this is the name of a scope. */
export function isScope(text: string): text is Scope {
  return (ALL_SCOPES as readonly string[]).includes(text)
}
