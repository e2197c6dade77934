import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { freePort } from '../free-port.ts'
import { timePasses } from '../time-passes.ts'
import { isListening } from './rtmp-server.ts'

/** An RTMP server that sends a file in real time to one client that plays. It is an ffmpeg that listens. */
export class RtmpPublisher {
  readonly port: number
  readonly #process: ChildProcess

  private constructor(port: number, file: string) {
    this.port = port
    this.#process = spawn(
      'ffmpeg',
      ['-v', 'error', '-re', '-i', file, '-c', 'copy', '-f', 'flv', '-listen', '1', this.url],
      { stdio: ['ignore', 'ignore', 'inherit'] },
    )
  }

  /** @param port of 127.0.0.1; by default a free one */
  static async start(file: string, port?: number): Promise<RtmpPublisher> {
    const publisher = new RtmpPublisher(port ?? (await freePort()), file)
    // On a known port, a client may already be trying to connect, and takes the only place at once.
    while (port === undefined && !(await isListening(publisher.port))) await timePasses(20, 'ffmpeg starts')
    return publisher
  }

  get url(): string {
    return `rtmp://127.0.0.1:${this.port}/app/key`
  }

  async kill(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return
    this.#process.kill('SIGKILL')
    await once(this.#process, 'exit')
  }
}
