import type { ConnectionTarget } from '../../media/channel.ts'

/** Protocols of addresses that lead to bytes over HTTP. */
export const WEB_PROTOCOLS: readonly string[] = ['http', 'https']
/** Protocols of live transmissions over RTMP. */
export const RTMP_PROTOCOLS: readonly string[] = ['rtmp', 'rtmps']

/**
 * Asks the server whether a URL may be opened, and what to connect to. Each URL that a source leads to is judged anew:
 * redirects, playlists, segments, keys. The worker itself resolves no name.
 * @throws Error when it may not be opened
 */
export type AddressJudge = (url: string, protocols: readonly string[]) => Promise<ConnectionTarget>

/** How long the server may take to judge an address. It resolves names within three seconds. */
const JUDGEMENT_TIMEOUT_MS = 8000

interface OpenQuestion {
  resolve: (target: ConnectionTarget) => void
  reject: (error: Error) => void
  timeout: NodeJS.Timeout
}

/** The questions of one room to the server, and the answers to them. */
export class AddressQuestions {
  readonly #ask: (question: { questionId: number; url: string; protocols: readonly string[] }) => void
  readonly #open = new Map<number, OpenQuestion>()
  #lastId = 0

  constructor(ask: (question: { questionId: number; url: string; protocols: readonly string[] }) => void) {
    this.#ask = ask
  }

  readonly judge: AddressJudge = (url, protocols) => {
    const questionId = ++this.#lastId
    return new Promise((resolve, reject) => {
      const timeout = setTimeout(() => this.answer(questionId, null), JUDGEMENT_TIMEOUT_MS)
      this.#open.set(questionId, { resolve, reject, timeout })
      this.#ask({ questionId, url, protocols })
    })
  }

  /** @param target null for an address that may not be opened, or leads nowhere */
  answer(questionId: number, target: ConnectionTarget | null): void {
    const question = this.#open.get(questionId)
    if (!question) return
    this.#open.delete(questionId)
    clearTimeout(question.timeout)
    if (target) question.resolve(target)
    else question.reject(new Error('the address may not be opened, or leads nowhere'))
  }

  /** No answers will come any more. */
  close(): void {
    for (const questionId of [...this.#open.keys()]) this.answer(questionId, null)
  }
}
