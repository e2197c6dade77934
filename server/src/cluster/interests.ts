import type { Clock, Timer } from '../clock.ts'
import type { Cluster } from './cluster.ts'

/** How often a node says again what it is interested in. Whoever counted it as gone for a moment knows it again then. */
const REMINDER_MS = 5000

/** What nodes tell each other about their interests. */
type Word = { kind: 'asked' } | { kind: 'here'; keys: readonly string[] }

export interface InterestsOptions {
  cluster: Cluster
  clock: Clock
  /** What it is about, as a part of a subject. */
  subject: string
  /** Some other node is interested in this key from now on. */
  onWanted: (key: string) => void
  /** No other node is interested in it any more. */
  onUnwanted: (key: string) => void
}

/**
 * What some node of the cluster wants to hear about, such as the projects that somebody watches there. So nothing is encoded
 * and sent that nobody reads.
 */
export class Interests {
  readonly #options: InterestsOptions
  readonly #subject: string
  /** How often each key is wanted here. */
  readonly #own = new Map<string, number>()
  /** The keys that each other node wants. */
  readonly #ofNodes = new Map<string, ReadonlySet<string>>()
  readonly #ends: (() => void)[] = []
  #reminder: Timer | null = null
  #isTelling = false

  constructor(options: InterestsOptions) {
    this.#options = options
    this.#subject = `interests.${options.subject}`
    const { cluster } = options
    if (cluster.isAlone) return
    const { messages, nodes } = cluster
    this.#ends.push(
      messages.subscribe(this.#subject, (word, from) => this.#heard(word as Word, from)),
      nodes.onGone(({ name }) => this.#set(name, new Set())),
      messages.onGap(() => this.#ask()),
    )
    this.#ask()
    this.#remindLater()
  }

  /** Wants a key. @returns ends that */
  want(key: string): () => void {
    const count = this.#own.get(key) ?? 0
    this.#own.set(key, count + 1)
    if (count === 0) this.#tell()
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      const left = (this.#own.get(key) ?? 1) - 1
      if (left > 0) {
        this.#own.set(key, left)
        return
      }
      this.#own.delete(key)
      this.#tell()
    }
  }

  /** Tells nobody anything any more. */
  stop(): void {
    this.#reminder?.cancel()
    for (const end of this.#ends) end()
  }

  #ask(): void {
    this.#say({ kind: 'asked' })
    if (this.#own.size > 0) this.#tell()
  }

  /** Changes of one turn of the event loop are told together. */
  #tell(): void {
    if (this.#isTelling || this.#options.cluster.isAlone) return
    this.#isTelling = true
    queueMicrotask(() => {
      this.#isTelling = false
      this.#say({ kind: 'here', keys: [...this.#own.keys()] })
    })
  }

  #say(word: Word): void {
    this.#options.cluster.messages.publish(this.#subject, word)
  }

  #remindLater(): void {
    this.#reminder = this.#options.clock.after(REMINDER_MS, () => {
      if (this.#own.size > 0) this.#tell()
      this.#remindLater()
    })
  }

  #heard(word: Word, from: string): void {
    if (word.kind === 'here') this.#set(from, new Set(word.keys))
    else if (this.#own.size > 0) this.#tell()
  }

  #set(node: string, keys: ReadonlySet<string>): void {
    const before = this.#ofNodes.get(node) ?? new Set()
    const isWantedBy = (key: string) => [...this.#ofNodes.values()].some((wanted) => wanted.has(key))
    const fresh = [...keys].filter((key) => !before.has(key) && !isWantedBy(key))
    if (keys.size > 0) this.#ofNodes.set(node, keys)
    else this.#ofNodes.delete(node)
    for (const key of fresh) this.#options.onWanted(key)
    for (const key of before) if (!keys.has(key) && !isWantedBy(key)) this.#options.onUnwanted(key)
  }
}
