import { NodeUnreachable } from './cluster.ts'

type Answer = (message: unknown, from: string) => Promise<unknown>

/** The functions by which this node answers requests, by subject. */
export class LocalAnswers {
  readonly #answers = new Map<string, Answer>()

  /** @returns removes the function */
  add(subject: string, answer: Answer): () => void {
    if (this.#answers.has(subject)) throw new Error(`two functions answer ${subject}`)
    this.#answers.set(subject, answer)
    return () => {
      this.#answers.delete(subject)
    }
  }

  /** @throws NodeUnreachable when nothing answers here, and what the function throws */
  async answer(subject: string, message: unknown, from: string): Promise<unknown> {
    const answer = this.#answers.get(subject)
    if (!answer) throw new NodeUnreachable(`nothing answers ${subject}`)
    return answer(message, from)
  }
}
