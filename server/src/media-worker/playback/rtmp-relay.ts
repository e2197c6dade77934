import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import type { ConnectionTarget } from '../../media/channel.ts'
import type { RtmpSource } from '../codecs/media-demuxer.ts'
import { connectToTarget } from '../outputs/rtmp/connect-to-target.ts'
import { readRtmpAddress } from '../outputs/rtmp/rtmp-address.ts'

/** How long a server may take to accept a connection, and to agree on TLS, in milliseconds. */
const CONNECT_TIMEOUT_MS = 3000
/** How long it may send nothing, in milliseconds. */
const SILENCE_TIMEOUT_MS = 10_000

/**
 * Stands between FFmpeg, which speaks RTMP, and the server of a transmission. FFmpeg connects to a local port that accepts one
 * connection. So it connects only to what was judged, certificates are verified, and a silent server holds no thread.
 */
export class RtmpRelay implements RtmpSource {
  readonly url: string
  readonly options: Readonly<Record<string, string>>
  readonly #target: ConnectionTarget
  readonly #server: Server
  #local: Socket | null = null
  #remote: Socket | null = null
  #deadline: NodeJS.Timeout

  /** Listens; connects to the server as soon as FFmpeg does to the relay. */
  static async open(url: string, target: ConnectionTarget, signal: AbortSignal): Promise<RtmpRelay> {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const relay = new RtmpRelay(url, target, server)
    signal.addEventListener('abort', () => relay.close(), { once: true })
    if (signal.aborted) relay.close()
    return relay
  }

  private constructor(url: string, target: ConnectionTarget, server: Server) {
    const { app, streamName, credentials, tcUrl } = readRtmpAddress(url)
    const { port } = server.address() as AddressInfo
    this.url = `rtmp://${credentials}127.0.0.1:${port}/`
    this.options = { rtmp_live: 'live', rtmp_tcurl: tcUrl, rtmp_app: app, rtmp_playpath: streamName }
    this.#target = target
    this.#server = server
    this.#deadline = setTimeout(() => this.close(), CONNECT_TIMEOUT_MS)
    server.on('connection', (socket) => this.#accept(socket))
  }

  /** Ends both connections. Idempotent. */
  close(): void {
    clearTimeout(this.#deadline)
    this.#server.close()
    this.#local?.destroy()
    this.#remote?.destroy()
  }

  #accept(local: Socket): void {
    if (this.#local) {
      local.destroy()
      return
    }
    this.#local = local
    this.#server.close()
    const remote = connectToTarget(this.#target)
    this.#remote = remote
    for (const socket of [local, remote]) {
      socket.setNoDelay(true)
      socket.on('error', () => this.close())
      socket.on('close', () => this.close())
    }
    remote.once(this.#target.tls ? 'secureConnect' : 'connect', () => clearTimeout(this.#deadline))
    remote.setTimeout(SILENCE_TIMEOUT_MS, () => this.close())
    local.pipe(remote)
    remote.pipe(local)
  }
}
