import { randomBytes } from 'node:crypto'
import type { Logger } from 'pino'
import type { Clock, Timer } from '../../clock.ts'
import { newId } from '../../ids.ts'
import type { ClusterNode, Messages, Nodes, SelfDescription } from '../cluster.ts'

const HEARTBEAT_MS = 1000
/** A node that is silent for this long is gone. */
const SILENCE_MS = 5000

/** A node tells of itself. */
export const HERE = 'nodes.here'
/** Somebody asks who is there. */
export const HELLO = 'nodes.hello'
const BYE = 'nodes.bye'

export interface NatsNodesOptions {
  messages: Messages
  clock: Clock
  log: Logger
  name: string
  address: string
  labels: Readonly<Record<string, string>>
  self: SelfDescription
}

/** {@link Nodes}: each tells the others every second that it is alive, and how busy it is. */
export class NatsNodes implements Nodes {
  readonly #options: NatsNodesOptions
  readonly #run = newId()
  readonly #linkKey = randomBytes(32).toString('base64url')
  readonly #others = new Map<string, { node: ClusterNode; heardAtMs: number }>()
  readonly #onGone = new Set<(node: ClusterNode) => void>()
  readonly #ends: (() => void)[]
  #timer: Timer | null = null

  constructor(options: NatsNodesOptions) {
    this.#options = options
    const { messages } = options
    this.#ends = [
      messages.subscribe(HERE, (node) => this.#heard(node as ClusterNode)),
      messages.subscribe(HELLO, () => this.announce()),
      messages.subscribe(BYE, (run, from) => this.#left(from, run)),
      messages.onGap(() => this.#greet()),
    ]
  }

  /** Becomes visible to the others, and asks who is there. */
  start(): void {
    this.#greet()
    this.#beat()
  }

  get self(): ClusterNode {
    const { name, address, labels, self } = this.#options
    return {
      name,
      run: this.#run,
      address,
      linkKey: this.#linkKey,
      version: self.version,
      pages: self.pages,
      labels,
      isDraining: self.isDraining(),
      load: self.load(),
      now: this.#options.clock.now(),
    }
  }

  get others(): readonly ClusterNode[] {
    return [...this.#others.values()]
      .map(({ node }) => node)
      .sort((one, other) => (one.name < other.name ? -1 : 1))
  }

  find(name: string): ClusterNode | undefined {
    return name === this.#options.name ? this.self : this.#others.get(name)?.node
  }

  announce(): void {
    this.#options.messages.publish(HERE, this.self)
  }

  onGone(callback: (node: ClusterNode) => void): () => void {
    this.#onGone.add(callback)
    return () => {
      this.#onGone.delete(callback)
    }
  }

  stop(): void {
    this.#timer?.cancel()
    for (const end of this.#ends) end()
    this.#options.messages.publish(BYE, this.#run)
  }

  #greet(): void {
    this.#options.messages.publish(HELLO, null)
    this.announce()
  }

  #beat(): void {
    this.#timer = this.#options.clock.after(HEARTBEAT_MS, () => {
      this.announce()
      this.#forgetSilent()
      this.#beat()
    })
  }

  #heard(node: ClusterNode): void {
    const known = this.#others.get(node.name)
    this.#others.set(node.name, { node, heardAtMs: this.#options.clock.monotonicMs() })
    if (known?.node.run === node.run) return
    this.#options.log.info({ node: node.name, address: node.address, version: node.version }, 'node is here')
    if (known) this.#tellGone(known.node)
  }

  #left(name: string, run: unknown): void {
    const known = this.#others.get(name)
    if (known && known.node.run === run) this.#gone(known.node, 'node has stopped')
  }

  #forgetSilent(): void {
    const now = this.#options.clock.monotonicMs()
    for (const { node, heardAtMs } of this.#others.values()) {
      if (now - heardAtMs > SILENCE_MS) this.#gone(node, 'node is silent')
    }
  }

  #gone(node: ClusterNode, what: string): void {
    this.#others.delete(node.name)
    this.#options.log.warn({ node: node.name }, what)
    this.#tellGone(node)
  }

  #tellGone(node: ClusterNode): void {
    for (const callback of this.#onGone) callback(node)
  }
}
