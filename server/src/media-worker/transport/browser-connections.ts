import type { ConnectionState } from './connection.ts'
import { closeOpened, MediaPipe, type OpenedConnection } from './media-pipe.ts'
import { type PacketRoutes, routesOf } from './receiving/packet-routes.ts'
import type { RtcSettings } from './rtc-settings.ts'
import type { AnswerPlan, PlannedSection, TransportGroup } from './sdp/answer-plan.ts'
import { SdpError } from './sdp/sdp-error.ts'

export interface BrowserConnectionsEvents {
  onPacket(pipe: MediaPipe, routes: PacketRoutes, packet: Buffer): void
  onState(): void
}

/** One transport of the browser, and how its packets are told apart. */
interface Connected {
  pipe: MediaPipe
  routes: PacketRoutes
}

/** A connection that no pipe has taken over yet. */
interface Opened extends OpenedConnection {
  /** Filled in once it is known which pipe it belongs to. */
  route: { pipe: MediaPipe | null }
}

/** The connections to one browser: one where all is bundled, else one for each media section. */
export class BrowserConnections {
  readonly #rtc: RtcSettings
  readonly #events: BrowserConnectionsEvents
  #connected = new Map<string, Connected>()
  #closed = false

  constructor(rtc: RtcSettings, events: BrowserConnectionsEvents) {
    this.#rtc = rtc
    this.#events = events
  }

  /**
   * Adapts the connections to the plan. Those with known ICE credentials go on, those with new credentials restart, those
   * with a new fingerprint (the page was reloaded) are replaced, and those that the plan lacks are closed.
   * @param keepsAssociation whether the browser goes on with its DTLS association when ICE restarts
   * @throws {SdpError} where the browser's description is not usable; nothing has changed then
   */
  async follow(plan: AnswerPlan, keepsAssociation: boolean): Promise<void> {
    if (keepsAssociation) await this.#restartThroughRelays(plan)
    const opened = await this.#open(plan)
    if (this.#closed) {
      for (const each of opened.values()) closeOpened(each)
      throw new Error('the leg is closed')
    }
    this.#restart(plan)
    this.#takeOver(plan, opened)
  }

  /** The pipe that carries this section. @param plan the one that {@link follow} took last */
  pipeOf(plan: AnswerPlan, section: PlannedSection): MediaPipe {
    const group = plan.transports.find(({ sections }) => sections.includes(section))
    return this.#connected.get(group!.key)!.pipe
  }

  get pipes(): MediaPipe[] {
    return [...this.#connected.values()].map(({ pipe }) => pipe)
  }

  /** The worst state of all connections. */
  get state(): ConnectionState {
    const states = this.pipes.map((pipe) => pipe.state)
    for (const state of ['failed', 'disconnected', 'connecting'] as const)
      if (states.includes(state)) return state
    return states.length > 0 ? 'connected' : 'connecting'
  }

  /** Firefox takes no new DTLS association when it restarts ICE: media would end for good. */
  async #restartThroughRelays(plan: AnswerPlan): Promise<void> {
    for (const group of plan.transports) {
      const pipe = this.#connected.get(group.key)?.pipe
      const { ice } = group.sections[0]!.offered
      if (!pipe?.connected || pipe.restarts || this.#continues(group)) continue
      if (pipe.description.remote.fingerprint === ice.fingerprint)
        await pipe.restartThroughRelay(this.#rtc, ice)
    }
  }

  /** Opens what the plan needs beside what is already there; all or nothing. */
  async #open(plan: AnswerPlan): Promise<Map<TransportGroup, Opened>> {
    const opened = new Map<TransportGroup, Opened>()
    try {
      for (const group of plan.transports) {
        const remote = group.sections[0]!.offered.ice
        if (remote.usernameFragment === '' || remote.password === '')
          throw new SdpError('a media section has no ICE credentials')
        if (this.#continues(group) || this.#restarts(group)) continue
        const route: Opened['route'] = { pipe: null }
        opened.set(group, { ...(await MediaPipe.open(this.#rtc, remote, route)), route })
      }
    } catch (error) {
      for (const each of opened.values()) closeOpened(each)
      throw error
    }
    return opened
  }

  /** Whether the group goes on over the connection it has. */
  #continues(group: TransportGroup): boolean {
    const pipe = this.#connected.get(group.key)?.pipe
    if (!pipe || pipe.state === 'failed') return false
    const { remote } = pipe.description
    const { ice } = group.sections[0]!.offered
    return remote.usernameFragment === ice.usernameFragment && remote.fingerprint === ice.fingerprint
  }

  /** Whether the group gets a new path, and goes on with the connection it has. */
  #restarts(group: TransportGroup): boolean {
    const pipe = this.#connected.get(group.key)?.pipe
    if (!pipe?.restarts || pipe.state === 'failed' || this.#continues(group)) return false
    return pipe.description.remote.fingerprint === group.sections[0]!.offered.ice.fingerprint
  }

  #restart(plan: AnswerPlan): void {
    for (const group of plan.transports) {
      if (this.#restarts(group)) this.#connected.get(group.key)!.pipe.restart(group.sections[0]!.offered.ice)
    }
  }

  #takeOver(plan: AnswerPlan, opened: Map<TransportGroup, Opened>): void {
    const before = this.#connected
    this.#connected = new Map()
    for (const group of plan.transports) {
      const known = before.get(group.key)?.pipe
      const fresh = opened.get(group)
      const pipe = fresh ? this.#pipeFor(known, fresh) : known!
      this.#connected.set(group.key, { pipe, routes: routesOf(group.sections) })
    }
    const kept = new Set(this.pipes)
    for (const { pipe } of before.values()) if (!kept.has(pipe)) pipe.close()
  }

  /** An ICE restart goes on with the pipe it has; a reload, or a pipe that has failed, begins with a new one. */
  #pipeFor(known: MediaPipe | undefined, fresh: Opened): MediaPipe {
    const sameBrowser = known?.description.remote.fingerprint === fresh.remote.fingerprint
    if (known && sameBrowser && known.state !== 'failed') {
      fresh.route.pipe = known
      known.succeed(fresh)
      return known
    }
    const pipe: MediaPipe = new MediaPipe(fresh, {
      onPacket: (packet) => this.#onPacket(pipe, packet),
      onState: () => this.#events.onState(),
    })
    fresh.route.pipe = pipe
    return pipe
  }

  #onPacket(pipe: MediaPipe, packet: Buffer): void {
    for (const connected of this.#connected.values()) {
      if (connected.pipe === pipe) this.#events.onPacket(pipe, connected.routes, packet)
    }
  }

  /** Idempotent. */
  close(): void {
    this.#closed = true
    for (const pipe of this.pipes) pipe.close()
  }
}
