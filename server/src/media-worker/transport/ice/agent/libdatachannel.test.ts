import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { once } from 'node:events'
import nodeDataChannel, { type PeerConnection } from 'node-datachannel'
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest'
import { releaseNativeTransports } from '../../native-connection.ts'
import { isStun } from '../stun.ts'
import { hostAddresses } from './host-addresses.ts'
import type { IceAgent } from './ice-agent.ts'
import { IceAgents } from './ice-agents.ts'
import type { IceParameters, LocalSocket } from './ice-types.ts'

const soon = { timeout: 10_000, interval: 20 }

interface UdpSocket extends LocalSocket {
  readonly raw: Socket
}

let agents: IceAgents<UdpSocket>
let sockets: UdpSocket[]
let native: PeerConnection
/** Where datagrams that are not STUN came from. */
let data: string[]
let ticks: NodeJS.Timeout

beforeEach(async () => {
  data = []
  agents = new IceAgents((datagram, { socket, remote }) =>
    socket.raw.send(datagram, remote.port, remote.address),
  )
  sockets = []
  for (const family of [6, 4] as const) {
    const addresses = hostAddresses(family, {})
    if (addresses.length > 0) sockets.push(await open(family, addresses))
  }
  ticks = setInterval(() => agents.tick(performance.now()), 10)
  native = new nodeDataChannel.PeerConnection('', { iceServers: [] })
})
afterEach(() => {
  clearInterval(ticks)
  agents.close()
  native.close()
  for (const { raw } of sockets) raw.close()
})
afterAll(() => releaseNativeTransports())

async function open(family: 4 | 6, addresses: string[]): Promise<UdpSocket> {
  const raw = createSocket({ type: `udp${family}`, ipv6Only: family === 6 })
  raw.bind(0)
  await once(raw, 'listening')
  const socket: UdpSocket = { family, port: raw.address().port, addresses, raw }
  raw.on('message', (datagram: Buffer, from: RemoteInfo) => {
    if (isStun(datagram)) agents.onStun(datagram, socket, from, performance.now())
    else data.push(`${from.address} ${from.port}`)
  })
  raw.on('error', () => {})
  return socket
}

/** Its offer of a data channel, with all candidates. */
async function offer(): Promise<{ sdp: string; remote: IceParameters }> {
  const gathered = vi.waitFor(() => expect(native.gatheringState()).toBe('complete'), soon)
  native.createDataChannel('data')
  await gathered
  const { sdp } = native.localDescription()!
  const value = (name: string) => new RegExp(`a=${name}:(\\S+)`).exec(sdp)![1]!
  const candidates = [...sdp.matchAll(/a=candidate:(.+?)\r?\n/g)].map((match) => match[1]!)
  const remote = { usernameFragment: value('ice-ufrag'), password: value('ice-pwd'), candidates }
  return { sdp, remote }
}

/** The answer has it begin the handshake, so that it sends something apart from STUN. */
function answer(sdp: string, { usernameFragment, password, candidates }: IceParameters): void {
  const lines = sdp
    .split('\r\n')
    .filter((line) => !/^a=(candidate|end-of-candidates|ice-|setup)/.test(line) && line !== '')
  const ours = [
    'a=setup:passive',
    `a=ice-ufrag:${usernameFragment}`,
    `a=ice-pwd:${password}`,
    ...candidates.map((candidate) => `a=candidate:${candidate}`),
  ]
  native.setRemoteDescription([...lines, ...ours, ''].join('\r\n'), 'answer')
}

test.each(['all its addresses', 'none of its addresses'])(
  'libdatachannel, which tells %s, is found',
  async (told) => {
    const { sdp, remote } = await offer()
    const opened: string[] = []
    const none = { onState: () => {}, onSelected: () => {}, onPathClosed: () => {} }
    const events = {
      ...none,
      onPathOpened: ({ remote: { address, port } }: { remote: { address: string; port: number } }) =>
        opened.push(`${address} ${port}`),
    }
    const known = told.startsWith('none') ? { ...remote, candidates: [] } : remote
    const agent: IceAgent<UdpSocket> = agents.open({ sockets, remote: known, events }, performance.now())
    answer(sdp, agent.local)
    await vi.waitFor(() => expect(agent.state).toBe('connected'), soon)
    await vi.waitFor(() => expect(['connected', 'completed']).toContain(native.iceState()), soon)
    // It goes on to its own handshake, on the path that was found.
    await vi.waitFor(() => expect(data.length).toBeGreaterThan(0), soon)
    // It may try another pair first.
    await vi.waitFor(
      () => expect(native.getSelectedCandidatePair()?.remote.port).toBe(agent.selected?.socket.port),
      soon,
    )
    expect(opened).toContain(data[0])
  },
)
