import { createSocket } from 'node:dgram'
import nodeDataChannel, { type IceUdpMuxListener } from 'node-datachannel'
import type { RtcSettings } from './rtc-settings.ts'

const ports = new Map<string, Promise<number>>()
/** Kept here: while a listener lives, its port stays ours also when no connection uses it. */
const listeners: IceUdpMuxListener[] = []

/**
 * The one UDP port of this process that all its connections share: the first free one of the range. It is taken before
 * the first connection, for the native library ends the process when a connection finds its port occupied.
 * @throws where no port of the range is free
 */
export function sharedPort({ portRange, bindAddress }: RtcSettings): Promise<number> {
  const key = `${bindAddress ?? '*'} ${portRange.begin}-${portRange.end}`
  let port = ports.get(key)
  if (!port) {
    port = takePort(portRange, bindAddress)
    ports.set(key, port)
    port.catch(() => ports.delete(key))
  }
  return port
}

/** Gives the ports back. */
export function releaseSharedPorts(): void {
  for (const listener of listeners) listener.stop()
  listeners.length = 0
  ports.clear()
}

async function takePort({ begin, end }: RtcSettings['portRange'], bindAddress?: string): Promise<number> {
  for (let port = begin; port <= end; port++) {
    if (!(await isFree(port, bindAddress))) continue
    try {
      const listener = new nodeDataChannel.IceUdpMuxListener(port, ...(bindAddress ? [bindAddress] : []))
      listeners.push(listener)
      return port
    } catch {
      // Somebody was quicker.
    }
  }
  throw new Error(`no UDP port from ${begin} to ${end} is free for media`)
}

async function isFree(port: number, bindAddress?: string): Promise<boolean> {
  if (bindAddress) return canBind(bindAddress.includes(':') ? 'udp6' : 'udp4', port, bindAddress)
  // Both families share the socket, and a machine may have no IPv6.
  return (await canBind('udp4', port)) && (await canBind('udp6', port))
}

function canBind(type: 'udp4' | 'udp6', port: number, address?: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createSocket({
      type,
      reuseAddr: false,
      ipv6Only: type === 'udp6' && address === undefined,
    })
    socket.once('error', (error: NodeJS.ErrnoException) => {
      socket.close()
      resolve(type === 'udp6' && error.code === 'EAFNOSUPPORT')
    })
    socket.bind({ port, exclusive: true, ...(address ? { address } : {}) }, () =>
      socket.close(() => resolve(true)),
    )
  })
}
