import type { Clock } from '../clock.ts'
import { seal, unseal } from '../secrets/sealing.ts'
import type { Storage } from '../storage/storage.ts'
import type { RequestTurns } from './request-turns.ts'

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

/** A request that runs for the first time. Another one with the same key waits for its end. */
export interface FirstTry {
  /** Stores the answer, and ends the try. */
  keep(answer: KeptAnswer): Promise<void>
  /** Ends the try without an answer: the next request with this key runs. */
  end(): Promise<void>
}

/** Answers that are kept for a day and repeated when a request is repeated. */
export interface KeptAnswers {
  /**
   * Waits for another request with the same key, on whichever server it runs.
   * @returns the kept answer, or `different` when the key belongs to another request, or the first try to make
   * @throws Refusal `unavailable`
   */
  begin(request: KeptRequest): Promise<KeptAnswer | 'different' | FirstTry>
  /** Deletes the answers of all projects that are older than a day. */
  deleteOld(): Promise<void>
}

const contextOf = ({ projectId, key }: KeptRequest) => `kept-answer:${projectId} ${key}`

export interface KeptAnswersOptions {
  storage: Pick<Storage, 'keptAnswers'>
  turns: RequestTurns
  /** 32 bytes. Answers may contain credentials, so they are stored encrypted. */
  sealingKey: Uint8Array
  clock: Clock
}

export function createKeptAnswers({ storage, turns, sealingKey, clock }: KeptAnswersOptions): KeptAnswers {
  async function find(request: KeptRequest): Promise<KeptAnswer | 'different' | undefined> {
    const kept = await storage.keptAnswers.find(request.projectId, request.key)
    if (!kept || kept.created_at <= clock.now() - KEPT_MS) return undefined
    if (kept.request_hash !== request.hash) return 'different'
    return { status: kept.status, body: unseal(sealingKey, contextOf(request), kept.body) }
  }

  async function store(request: KeptRequest, { status, body }: KeptAnswer): Promise<void> {
    await storage.keptAnswers.put({
      project_id: request.projectId,
      idempotency_key: request.key,
      request_hash: request.hash,
      status,
      body: seal(sealingKey, contextOf(request), body),
      created_at: clock.now(),
    })
  }

  return {
    async begin(request) {
      const end = await turns.take(request)
      let known: KeptAnswer | 'different' | undefined
      try {
        known = await find(request)
      } catch (error) {
        await end()
        throw error
      }
      if (known === undefined) return { keep: (answer) => store(request, answer).finally(end), end }
      await end()
      return known
    },
    async deleteOld() {
      await storage.keptAnswers.deleteBefore(clock.now() - KEPT_MS)
      await turns.deleteOld()
    },
  }
}
