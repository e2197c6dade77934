import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, stat } from 'node:fs/promises'
import { freePort } from '../free-port.ts'
import { timePasses } from '../time-passes.ts'

/** An RTMP server that writes one stream to a file. It is an ffmpeg that listens. */
export class RtmpServer {
  readonly port: number
  readonly file: string
  readonly #process: ChildProcess
  readonly #exited: Promise<unknown>

  private constructor(port: number, file: string) {
    this.port = port
    this.file = file
    // `analyzeduration` is in microseconds: how much of the stream ffmpeg reads before it determines the format.
    const input = ['-listen', '1', '-analyzeduration', '1000000', '-i', `rtmp://127.0.0.1:${port}/app/key`]
    this.#process = spawn(
      'ffmpeg',
      ['-v', 'error', '-y', ...input, '-c', 'copy', '-flush_packets', '1', '-f', 'flv', file],
      {
        stdio: 'ignore',
      },
    )
    this.#exited = once(this.#process, 'exit')
  }

  /**
   * @param file that the received stream is written to
   * @param port of 127.0.0.1; by default a free one
   */
  static async start(file: string, port?: number): Promise<RtmpServer> {
    const server = new RtmpServer(port ?? (await freePort()), file)
    while (!(await isListening(server.port))) await timePasses(20, 'ffmpeg starts')
    return server
  }

  /** Resolves when ffmpeg has recognised the stream and begun to write. */
  async receiving(): Promise<void> {
    const size = () =>
      stat(this.file).then(
        ({ size }) => size,
        () => 0,
      )
    while ((await size()) === 0) await timePasses(50, 'ffmpeg receives')
  }

  /** Resolves when the stream has ended and the file is complete. */
  async ended(): Promise<void> {
    await this.#exited
  }

  /** Kills the server while it receives. */
  async kill(): Promise<void> {
    this.#process.kill('SIGKILL')
    await this.#exited
  }
}

/** Checks without connecting, because the server accepts only one connection. */
export async function isListening(port: number): Promise<boolean> {
  const LISTEN = '0A'
  const hexadecimal = port.toString(16).toUpperCase().padStart(4, '0')
  const sockets = await readFile('/proc/net/tcp', 'utf8')
  return sockets.split('\n').some((line) => {
    const [, local = '', , state] = line.trim().split(/\s+/)
    return local.endsWith(`:${hexadecimal}`) && state === LISTEN
  })
}
