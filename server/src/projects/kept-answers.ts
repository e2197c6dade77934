import type { Clock } from '../clock.ts'
import { seal, unseal } from '../secrets/sealing.ts'
import type { Storage } from '../storage/storage.ts'

/** How long an answer is kept and repeated, in milliseconds. */
const KEPT_MS = 24 * 60 * 60 * 1000

/** The answer to a request. */
export interface KeptAnswer {
  /** HTTP status. */
  status: number
  /** The body as it was sent. */
  body: string
}

/** Identifies a repeated request. */
export interface KeptRequest {
  projectId: string
  /** Chosen by the client. */
  key: string
  /** Hash of all parts that determine what the request does. */
  hash: string
}

/** Answers that are kept for a day and repeated when a request is repeated. */
export interface KeptAnswers {
  /** @returns the answer, or `different` when the key belongs to another request; undefined when none is kept */
  find(request: KeptRequest): Promise<KeptAnswer | 'different' | undefined>
  keep(request: KeptRequest, answer: KeptAnswer): Promise<void>
  /** Deletes the answers of all projects that are older than a day. */
  deleteOld(): Promise<void>
}

const contextOf = ({ projectId, key }: KeptRequest) => `kept-answer:${projectId} ${key}`

/** @param options.sealingKey 32 bytes; answers may contain credentials, so they are stored encrypted */
export function createKeptAnswers({
  storage,
  sealingKey,
  clock,
}: {
  storage: Pick<Storage, 'keptAnswers'>
  sealingKey: Uint8Array
  clock: Clock
}): KeptAnswers {
  return {
    async find(request) {
      const kept = await storage.keptAnswers.find(request.projectId, request.key)
      if (!kept || kept.created_at <= clock.now() - KEPT_MS) return undefined
      if (kept.request_hash !== request.hash) return 'different'
      return { status: kept.status, body: unseal(sealingKey, contextOf(request), kept.body) }
    },
    async keep(request, { status, body }) {
      await storage.keptAnswers.put({
        project_id: request.projectId,
        idempotency_key: request.key,
        request_hash: request.hash,
        status,
        body: seal(sealingKey, contextOf(request), body),
        created_at: clock.now(),
      })
    },
    deleteOld: () => storage.keptAnswers.deleteBefore(clock.now() - KEPT_MS),
  }
}
