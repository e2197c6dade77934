import { randomBytes } from 'node:crypto'
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { isIPv6 } from 'node:net'
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest'
import {
  BINDING_REQUEST,
  BINDING_SUCCESS,
  readStun,
  writeBindingRequest,
  writeBindingSuccess,
} from './ice/stun.ts'
import { MediaPipe } from './media-pipe.ts'
import { releaseTransports } from './open-connection.ts'
import type { RtcSettings } from './rtc-settings.ts'
import type { IceDescription, OfferedIce } from './sdp/offer.ts'

const PORTS = { begin: 42_240, end: 42_249 }
const TRANSPORTS = ['libdatachannel', 'openssl'] as const
const FINGERPRINT = `sha-256 ${new Array(32).fill('AA').join(':')}`
const soon = { timeout: 10_000, interval: 50 }

let opened: { close(): void }[]
beforeEach(() => {
  opened = []
})
afterEach(() => {
  for (const each of opened) each.close()
})
afterAll(() => releaseTransports())

interface Endpoint {
  address: string
  port: number
}

/** Address and port of each candidate, the one with the highest priority first. */
function endpointsOf({ candidates }: IceDescription): Endpoint[] {
  const parts = candidates.map((candidate) => candidate.split(' '))
  parts.sort((a, b) => Number(b[3]) - Number(a[3]))
  return parts.map((part) => ({ address: part[4]!, port: Number(part[5]) }))
}

/**
 * The ICE agent of a browser that does not hide its addresses, from one restart to the next: a socket at each address
 * of this machine. It is controlling. It has no DTLS: what it receives apart from STUN is kept as it is.
 */
class BrowserIce {
  readonly remote: OfferedIce
  readonly #sockets = new Map<string, Socket>()
  readonly #answered = new Map<string, Endpoint>()
  /** Addresses at which something apart from STUN arrived. */
  readonly received: string[] = []

  private constructor() {
    this.remote = {
      usernameFragment: randomBytes(3).toString('hex'),
      password: randomBytes(12).toString('hex'),
      fingerprint: FINGERPRINT,
      setup: 'passive',
      candidates: [],
      hidden: false,
      relayedOverTcp: false,
    }
    opened.push(this)
  }

  static async open(addresses: string[]): Promise<BrowserIce> {
    const browser = new BrowserIce()
    for (const address of addresses) {
      const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4')
      browser.#sockets.set(address, socket)
      socket.on('message', (datagram, from) => browser.#onDatagram(address, datagram, from))
      socket.bind({ address, port: 0 })
      await once(socket, 'listening')
      const preference = isIPv6(address) ? 32_543 : 32_542
      const priority = 126 * 2 ** 24 + preference * 2 ** 8 + 255
      browser.remote.candidates.push(`1 1 UDP ${priority} ${address} ${socket.address().port} typ host`)
    }
    return browser
  }

  #onDatagram(address: string, datagram: Buffer, from: RemoteInfo): void {
    const message = readStun(datagram)
    if (!message) this.received.push(address)
    else if (message.type === BINDING_SUCCESS) this.#answered.set(message.transactionId.toString('hex'), from)
    else if (message.type === BINDING_REQUEST) {
      const { transactionId } = message
      const answer = writeBindingSuccess(transactionId, from.address, from.port, this.remote.password)
      this.#sockets.get(address)?.send(answer, from.port, from.address)
    }
  }

  /**
   * Checks a candidate from the address that it has in common with it, again and again until it is answered.
   * @returns where the answer came from: it counts only if that is the candidate (RFC 8445, section 7.2.5.2.1)
   */
  async check(local: IceDescription, to: Endpoint, useCandidate: boolean): Promise<Endpoint> {
    const transactionId = randomBytes(12)
    const check = writeBindingRequest({
      transactionId,
      username: `${local.usernameFragment}:${this.remote.usernameFragment}`,
      password: local.password,
      priority: 1,
      tieBreaker: 1n,
      role: 'controlling',
      useCandidate,
    })
    return vi.waitFor(() => {
      const from = this.#answered.get(transactionId.toString('hex'))
      if (from) return { address: from.address, port: from.port }
      this.#sockets.get(to.address)?.send(check, to.port, to.address)
      throw new Error(`${to.address} port ${to.port} does not answer`)
    }, soon)
  }

  close(): void {
    for (const socket of this.#sockets.values()) socket.close()
    this.#sockets.clear()
  }
}

/** A pipe to a browser. Its native side sends the first message of its handshake until that is answered. */
async function openPipe(rtc: RtcSettings, browser: BrowserIce): Promise<MediaPipe> {
  const route: { pipe: MediaPipe | null } = { pipe: null }
  const connection = await MediaPipe.open(rtc, browser.remote, route)
  const pipe = new MediaPipe(connection, { onPacket: () => {}, onState: () => {} })
  route.pipe = pipe
  opened.push(pipe)
  return pipe
}

/** Addresses of this machine that a connection offers. */
async function ownAddresses(rtc: RtcSettings): Promise<string[]> {
  const pipe = await openPipe(rtc, await BrowserIce.open([]))
  return endpointsOf(pipe.description.local).map(({ address }) => address)
}

test.each(TRANSPORTS)(
  'an ICE restart of %s leaves no candidate unanswered, and what is sent follows to the new sockets',
  async (transport) => {
    const rtc: RtcSettings = { portRange: PORTS, transport }
    const addresses = await ownAddresses(rtc)
    const ofEachFamily = addresses.filter(
      (address, i) => addresses.findIndex((other) => isIPv6(other) === isIPv6(address)) === i,
    )
    // IPv6 has the higher priority. It must not matter what the browser chose before.
    for (const before of ofEachFamily) {
      for (const after of ofEachFamily) await restart(rtc, addresses, before, after)
    }
  },
  60_000,
)

/**
 * Restarts ICE over new sockets, as Firefox does.
 * @param before the candidate, by its address, that the browser chose at first
 * @param after the one that it chooses after the restart
 */
async function restart(rtc: RtcSettings, addresses: string[], before: string, after: string): Promise<void> {
  const browser = await BrowserIce.open(addresses)
  const pipe = await openPipe(rtc, browser)
  const first = pipe.description.local
  const chosen = endpointsOf(first).find(({ address }) => address === before)!
  expect(await browser.check(first, chosen, true)).toEqual(chosen)
  await vi.waitFor(() => expect(browser.received).toContain(before), soon)
  browser.close()

  const restarted = await BrowserIce.open(addresses)
  if (pipe.restarts) pipe.restart(restarted.remote)
  else expect(await pipe.restartThroughRelay(rtc, restarted.remote)).toBe(true)
  const second = pipe.description.local
  const offered = endpointsOf(second)
  expect(offered.map(({ address }) => address)).toEqual(addresses)
  for (const endpoint of offered)
    expect(await restarted.check(second, endpoint, endpoint.address === after)).toEqual(endpoint)
  await vi.waitFor(() => expect(restarted.received, `${before}, then ${after}`).toContain(after), soon)
}
