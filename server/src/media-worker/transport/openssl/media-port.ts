import { isIPv6 } from 'node:net'
import type { IceAgent } from '../ice/agent/ice-agent.ts'
import { IceAgents } from '../ice/agent/ice-agents.ts'
import type { IceAgentEvents, IceParameters } from '../ice/agent/ice-types.ts'
import { everyLegTick } from '../leg-clock.ts'
import type { RtcSettings } from '../rtc-settings.ts'
import { MediaSocket } from './media-socket.ts'
import { SegmentRun } from './segment-run.ts'

/** By the settings that they were bound with. */
const ports = new Map<string, MediaPort>()

/** The one UDP port of this process that all its connections share, with a socket for each family that the machine has. */
export class MediaPort {
  /** Packets that are about to be sent to one of the receivers. */
  readonly run = new SegmentRun()
  readonly port: number
  readonly #sockets: readonly MediaSocket[]
  readonly #agents: IceAgents<MediaSocket>
  #open = 0
  #endTicks: (() => void) | null = null

  private constructor(port: number, sockets: readonly MediaSocket[], agents: IceAgents<MediaSocket>) {
    this.port = port
    this.#sockets = sockets
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
    for (let port = rtc.portRange.begin; port <= rtc.portRange.end; port++) {
      const sockets = bindAll(rtc, port, agents)
      if (sockets.length > 0) return new MediaPort(port, sockets, agents)
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
    const sockets = this.#sockets.filter((socket) => socket.refresh())
    if (sockets.length === 0) throw new Error('this machine has no address that browsers could reach')
    this.#open++
    this.#endTicks ??= everyLegTick((nowMs) => this.#agents.tick(nowMs))
    return this.#agents.open({ sockets, remote, events }, performance.now())
  }

  closeAgent(agent: IceAgent<MediaSocket>): void {
    agent.close()
    this.#open--
    if (this.#open === 0) this.#stopTicks()
  }

  #stopTicks(): void {
    this.#endTicks?.()
    this.#endTicks = null
  }

  #close(): void {
    this.#agents.close()
    this.#stopTicks()
    for (const socket of this.#sockets) socket.close()
  }
}

/** @returns a socket for each family that the machine has; none where the port is taken in one of them */
function bindAll(rtc: RtcSettings, port: number, agents: IceAgents<MediaSocket>): MediaSocket[] {
  const { bindAddress } = rtc
  const families = bindAddress ? ([isIPv6(bindAddress) ? 6 : 4] as const) : ([4, 6] as const)
  const sockets: MediaSocket[] = []
  for (const family of families) {
    const socket = MediaSocket.open(rtc, family, port, (datagram, on, from) =>
      agents.onStun(datagram, on, from, performance.now()),
    )
    if (socket === 'no such family') continue
    if (socket === 'taken') {
      for (const bound of sockets) bound.close()
      return []
    }
    sockets.push(socket)
  }
  return sockets
}
