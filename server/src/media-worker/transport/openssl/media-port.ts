import type { IceAgent } from '../ice/agent/ice-agent.ts'
import { IceAgents } from '../ice/agent/ice-agents.ts'
import type { IceAgentEvents, IceParameters } from '../ice/agent/ice-types.ts'
import { inOrder } from '../ice/agent/socket-order.ts'
import { everyLegLook, everyLegTick, LOOKS_PER_SECOND } from '../leg-clock.ts'
import type { RtcSettings } from '../rtc-settings.ts'
import { FamilySockets } from './family-sockets.ts'
import type { MediaSocket, OnStun } from './media-socket.ts'
import { SegmentRun } from './segment-run.ts'

/** What ICE has to do sooner than this does not wait for the next look. */
const SOON_MS = 2000 / LOOKS_PER_SECOND

/** By the settings that they were bound with. */
const ports = new Map<string, MediaPort>()

/** The one UDP port of this process that all its connections share, for each family and address that the machine has. */
export class MediaPort {
  /** Packets that are about to be sent to one of the receivers. */
  readonly run = new SegmentRun()
  readonly port: number
  readonly #families: readonly FamilySockets[]
  readonly #agents: IceAgents<MediaSocket>
  #open = 0
  #endLooks: (() => void) | null = null
  /** Null while ICE has nothing to do soon: agents that are connected have every few seconds. */
  #endTicks: (() => void) | null = null

  private constructor(port: number, families: readonly FamilySockets[], agents: IceAgents<MediaSocket>) {
    this.port = port
    this.#families = families
    this.#agents = agents
  }

  /**
   * The first free port of the worker's range, which is taken at the first call.
   * @throws where none is free
   */
  static of(rtc: RtcSettings): MediaPort {
    const { portRange, bindAddress } = rtc
    const key = `${bindAddress ?? '*'} ${portRange.begin}-${portRange.end}`
    let port = ports.get(key)
    if (!port) {
      port = MediaPort.#take(rtc)
      ports.set(key, port)
    }
    return port
  }

  static #take(rtc: RtcSettings): MediaPort {
    const agents = new IceAgents<MediaSocket>((datagram, { socket, remote }) =>
      socket.sendStun(datagram, remote),
    )
    let taken: MediaPort | null = null
    const onStun: OnStun = (datagram, on, from) => {
      agents.onStun(datagram, on, from, performance.now())
      taken?.hasten()
    }
    for (let port = rtc.portRange.begin; port <= rtc.portRange.end; port++) {
      const families = bindAll(rtc, port, onStun)
      if (families.length > 0) {
        taken = new MediaPort(port, families, agents)
        return taken
      }
    }
    throw new Error(`no UDP port from ${rtc.portRange.begin} to ${rtc.portRange.end} is free for media`)
  }

  /** Closes all ports. Connections that still use them send and receive nothing more. */
  static release(): void {
    for (const port of ports.values()) port.#close()
    ports.clear()
  }

  /**
   * Opens an ICE agent. It ends with {@link closeAgent}.
   * @throws where the machine has no address at all
   */
  openAgent(remote: IceParameters, events: IceAgentEvents<MediaSocket>): IceAgent<MediaSocket> {
    const sockets = inOrder(this.#families.flatMap((family) => family.reachable()))
    if (sockets.length === 0) throw new Error('this machine has no address that browsers could reach')
    this.#open++
    this.#endLooks ??= everyLegLook((nowMs) => this.#look(nowMs))
    this.hasten()
    return this.#agents.open({ sockets, remote, events }, performance.now())
  }

  /** An agent may have something to do soon. */
  hasten(): void {
    if (this.#open > 0) this.#endTicks ??= everyLegTick((nowMs) => this.#tick(nowMs))
  }

  #look(nowMs: number): void {
    if (!this.#endTicks && this.#agents.tick(nowMs) - nowMs < SOON_MS) this.hasten()
  }

  #tick(nowMs: number): void {
    if (this.#agents.tick(nowMs) - nowMs >= SOON_MS) this.#stopTicks()
  }

  closeAgent(agent: IceAgent<MediaSocket>): void {
    agent.close()
    this.#open--
    if (this.#open === 0) this.#stopClock()
  }

  #stopClock(): void {
    this.#endLooks?.()
    this.#endLooks = null
    this.#stopTicks()
  }

  #stopTicks(): void {
    this.#endTicks?.()
    this.#endTicks = null
  }

  #close(): void {
    this.#agents.close()
    this.#stopClock()
    for (const family of this.#families) family.close()
  }
}

/** @returns the sockets of each family that the machine has; none where the port is taken in one of them */
function bindAll(rtc: RtcSettings, port: number, onStun: OnStun): FamilySockets[] {
  const families: FamilySockets[] = []
  for (const family of FamilySockets.familiesOf(rtc)) {
    const sockets = FamilySockets.open(rtc, family, port, onStun)
    if (sockets === 'no such family') continue
    if (sockets === 'taken') {
      for (const bound of families) bound.close()
      return []
    }
    families.push(sockets)
  }
  return families
}
