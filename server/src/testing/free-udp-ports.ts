import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import type { PortRange } from '../config/media-options.ts'

/** Below the ports that Linux gives to whoever asks for none in particular, so that these take none away meanwhile. */
const LOWEST = 10_000
const HIGHEST = 32_000

/**
 * UDP ports that nobody has now, one after the other. Tests of several processes run at the same time, so a range is
 * tried before it is given out.
 */
export async function freeUdpPorts(count: number): Promise<PortRange> {
  for (;;) {
    const first = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST - count))
    const range = { first, last: first + count - 1 }
    if (await isFree(range)) return range
  }
}

async function isFree({ first, last }: PortRange): Promise<boolean> {
  const sockets: Socket[] = []
  try {
    for (let port = first; port <= last; port++) {
      const socket = createSocket('udp4')
      sockets.push(socket)
      socket.bind({ port, exclusive: true })
      await once(socket, 'listening')
    }
    return true
  } catch {
    return false
  } finally {
    await Promise.all(sockets.map((socket) => new Promise<void>((closed) => socket.close(closed))))
  }
}
