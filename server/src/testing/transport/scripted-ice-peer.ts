import { randomBytes } from 'node:crypto'
import type { IceAgent } from '../../media-worker/transport/ice/agent/ice-agent.ts'
import { IceAgents } from '../../media-worker/transport/ice/agent/ice-agents.ts'
import type {
  IceAgentEvents,
  IcePath,
  IceRole,
  IceState,
  LocalSocket,
} from '../../media-worker/transport/ice/agent/ice-types.ts'
import {
  BINDING_ERROR,
  BINDING_REQUEST,
  BINDING_SUCCESS,
  type BindingRequest,
  isAuthentic,
  readStun,
  writeBindingRequest,
  writeBindingSuccess,
} from '../../media-worker/transport/ice/stun.ts'

/** A place of the peer's. */
export type Place = `${string} ${number}`

/** All agents of a worker share it. */
const SOCKET: LocalSocket = { family: 4, port: 4000, addresses: ['192.0.2.1'] }

interface ScriptedIcePeerOptions {
  /** The peer's, as SDP tells them. */
  candidates?: string[]
  /** The agent's. */
  role?: IceRole
  /** Those of another peer, so that both agents are in one worker. */
  agents?: IceAgents<LocalSocket>
}

interface Sent {
  atMs: number
  datagram: Buffer
  path: IcePath<LocalSocket>
}

const placeOf = ({ remote }: IcePath<LocalSocket>): Place => `${remote.address} ${remote.port}`

/** One agent, and a peer that does exactly what a test says, from any address. Datagrams take no time. */
export class ScriptedIcePeer {
  readonly socket = SOCKET
  readonly agents: IceAgents<LocalSocket>
  readonly agent: IceAgent<LocalSocket>
  readonly remote
  nowMs = 1000
  readonly sent: Sent[] = []
  readonly states: IceState[] = []
  readonly selected: (Place | null)[] = []
  readonly open = new Set<Place>()
  /** Where the peer receives, and answers checks. */
  readonly answering = new Set<Place>()

  constructor({ candidates = [], agents, role = 'controlled' }: ScriptedIcePeerOptions = {}) {
    this.agents = agents ?? new IceAgents((datagram, path) => this.#onSent(datagram, path))
    this.remote = { usernameFragment: 'peer', password: randomBytes(18).toString('base64'), candidates }
    const events: IceAgentEvents<LocalSocket> = {
      onState: (state) => this.states.push(state),
      onSelected: (path) => this.selected.push(path && placeOf(path)),
      onPathOpened: (path) => this.open.add(placeOf(path)),
      onPathClosed: (path) => this.open.delete(placeOf(path)),
    }
    this.agent = this.agents.open({ sockets: [this.socket], remote: this.remote, role, events }, this.nowMs)
  }

  #onSent(datagram: Buffer, path: IcePath<LocalSocket>): void {
    this.sent.push({ atMs: this.nowMs, datagram, path })
  }

  /** Hands a datagram to the agent. */
  receive(datagram: Buffer, from: Place): void {
    const [address = '', port] = from.split(' ')
    this.agents.onStun(datagram, this.socket, { address, port: Number(port) }, this.nowMs)
    this.#answer()
  }

  /** A check of the peer's, by default a right one of a controlling agent that nominates nothing. */
  checkFrom(from: Place, changes: Partial<BindingRequest> = {}): void {
    this.receive(this.check(changes), from)
  }

  check(changes: Partial<BindingRequest> = {}): Buffer {
    const { usernameFragment, password } = this.agent.local
    return writeBindingRequest({
      transactionId: randomBytes(12),
      username: `${usernameFragment}:${this.remote.usernameFragment}`,
      password,
      priority: 1_000_000,
      tieBreaker: 1n,
      role: 'controlling',
      useCandidate: false,
      ...changes,
    })
  }

  #answered = 0

  /** Answers what has been sent since, and where. */
  #answer(): void {
    for (; this.#answered < this.sent.length; this.#answered++) {
      const { datagram, path } = this.sent[this.#answered]!
      const message = readStun(datagram)
      if (message?.type !== BINDING_REQUEST || !this.answering.has(placeOf(path))) continue
      if (!isAuthentic(datagram, message, this.remote.password)) continue
      const answer = writeBindingSuccess(message.transactionId, '192.0.2.1', 4000, this.remote.password)
      this.agents.onStun(answer, path.socket, path.remote, this.nowMs)
    }
  }

  /** Lets virtual time pass. */
  run(durationMs: number): void {
    for (const endMs = this.nowMs + durationMs; this.nowMs < endMs; ) {
      this.nowMs += 10
      this.agents.tick(this.nowMs)
      this.#answer()
    }
  }

  /** All of a kind that the agent has sent to a place. */
  sentTo(place: Place, kind: 'request' | 'success' | 'error'): Sent[] {
    const type = { request: BINDING_REQUEST, success: BINDING_SUCCESS, error: BINDING_ERROR }[kind]
    return this.sent.filter(
      ({ datagram, path }) => placeOf(path) === place && readStun(datagram)?.type === type,
    )
  }
}
