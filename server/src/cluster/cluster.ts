/** How busy a node is. */
export interface NodeLoad {
  /** Share of the machine's processor time that its media workers use of what they may: 0 is idle, 1 is all. */
  media: number
  sessions: number
  members: number
  /** It has power for viewers of rooms that other nodes own. Nodes of earlier versions do not say it, and serve none. */
  servesViewers?: boolean
  /** It can begin rooms: it has its database, its disk and its workers. Nodes of earlier versions do not say it. */
  beginsRooms?: boolean
}

/** One node of a cluster, as the others know it. */
export interface ClusterNode {
  readonly name: string
  /** Different at each start of the node. */
  readonly run: string
  /** Host and port at which other nodes reach it. */
  readonly address: string
  /** Key of this run, in base64url. Whoever has it may open pipes to the node. Never shown or logged. */
  readonly linkKey: string
  readonly version: string
  /**
   * Digest of the pages that it serves, '' without any. Nodes of earlier versions do not say it, and do not give others the
   * assets of their pages.
   */
  readonly pages?: string
  readonly labels: Readonly<Record<string, string>>
  /** It begins no sessions. */
  readonly isDraining: boolean
  readonly load: NodeLoad
  /** Unix milliseconds of its clock when it said all this. */
  readonly now: number
}

/** The nodes of the cluster that are alive, as far as this one knows. */
export interface Nodes {
  /** This node. */
  readonly self: ClusterNode
  /** The others, in the order of their names. */
  readonly others: readonly ClusterNode[]
  /** @returns undefined when no node of that name is alive */
  find(name: string): ClusterNode | undefined
  /** Tells the others now what has changed here, such as that this node drains, instead of at the next heartbeat. */
  announce(): void
  /** Calls back when a node has stopped, or has been silent for too long. @returns removes the callback */
  onGone(callback: (node: ClusterNode) => void): () => void
}

/**
 * Messages between nodes. They are JSON: no `Date`, `Map` or `undefined` in arrays. Subjects are words of small letters, digits and
 * hyphens, joined by dots, such as `chat.published`.
 */
export interface Messages {
  /**
   * Sends to all other nodes. Messages of one node arrive in their order. They are lost for whoever is cut off from the
   * others, which learns so by {@link onGap}. At most some hundred kilobytes.
   */
  publish(subject: string, message: unknown): void
  /** @param onMessage called for each message of another node. @returns ends the subscription */
  subscribe(subject: string, onMessage: (message: unknown, from: string) => void): () => void
  /**
   * Asks one node, which may be this one.
   * @returns what its {@link serve} resolved to
   * @throws Refusal that the other node threw; NodeUnreachable when there is no answer in time, and it is unknown whether
   * the node did it
   */
  request(node: string, subject: string, message: unknown, timeoutMs: number): Promise<unknown>
  /** Answers the requests of other nodes. One function for each subject. @returns ends it */
  serve(subject: string, answer: (message: unknown, from: string) => Promise<unknown>): () => void
  /** Calls back when this node is with the others again, and may have missed messages. @returns removes the callback */
  onGap(callback: () => void): () => void
}

/** Who holds a key. */
export interface Claim {
  readonly key: string
  /** Name of the node. */
  readonly node: string
  /**
   * Grows with each holder of a key, and never goes back. Writes of an earlier holder are refused by it (a fencing
   * token).
   */
  readonly revision: number
}

/** Exclusive claims of nodes: at most one node holds a key. */
export interface Claims {
  /** @throws ClusterAway */
  find(key: string): Promise<Claim | null>
  /**
   * Takes the key for this node if nobody holds it, and keeps it until it is released or lost.
   * @returns the claim of whoever holds it now
   * @throws ClusterAway
   */
  claim(key: string): Promise<Claim>
  /** The claim of this node; undefined when it does not hold the key. */
  held(key: string): Claim | undefined
  /** Lets go of a key. Does nothing if this node does not hold it. Never throws: an unreachable entry expires by itself. */
  release(key: string): Promise<void>
  /** Calls back when this node could not keep a key. Another one may hold it by now. @returns removes the callback */
  onLost(callback: (key: string) => void): () => void
}

/**
 * The cluster that this server is a node of. A server alone is a cluster of one: its messages go nowhere, and it gets
 * every claim.
 */
export interface Cluster {
  /** True for a server that has no others. */
  readonly isAlone: boolean
  /** False while the others cannot be reached. */
  readonly isConnected: boolean
  readonly nodes: Nodes
  readonly messages: Messages
  readonly claims: Claims
  /** Releases all claims, tells the others, and closes the connection. */
  stop(): Promise<void>
}

/** What a node tells about itself when it becomes a member. */
export interface SelfDescription {
  version: string
  /** See {@link ClusterNode.pages}. */
  pages: string
  load(): NodeLoad
  isDraining(): boolean
}

/** The other node did not answer in time, or is not there. */
export class NodeUnreachable extends Error {
  override readonly name = 'NodeUnreachable'
}

/** What the cluster keeps cannot be read or written now. */
export class ClusterAway extends Error {
  override readonly name = 'ClusterAway'
}
