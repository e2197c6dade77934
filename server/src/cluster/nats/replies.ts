import { Refusal, type RefusalEntry } from '../../errors/refusal.ts'

/** The answer to a request of another node. */
type Reply = { value: unknown } | { refusal: readonly RefusalEntry[] } | { failed: string }

/** The reply for an error. Only a refusal is told in full, for it is written for callers. */
export function refusalReply(error: unknown): Reply {
  if (error instanceof Refusal) return { refusal: error.entries }
  return { failed: error instanceof Error ? error.name : 'Error' }
}

/** @returns the value of a reply. @throws Refusal of the other node, or an Error when it failed there */
export function readReply(reply: Reply): unknown {
  if ('refusal' in reply) throw new Refusal(reply.refusal)
  if ('failed' in reply) throw new Error(`the other node failed: ${reply.failed}`)
  return reply.value
}
