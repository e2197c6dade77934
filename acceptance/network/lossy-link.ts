import { type ChildProcess, spawn } from 'node:child_process'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { run } from '../testing/commands.ts'
import { within } from '../testing/eventually.ts'

/** The quality of one direction of a link. */
export interface LinkQuality {
  lossPercent: number
  delayMs: number
  /** The delay varies by up to this much in both directions, uniformly. */
  jitterMs: number
  /** Average number of packets lost in a row; 1 by default. */
  meanBurst?: number
  /** Whether jitter may reorder packets. By default they keep their order. */
  reorders?: boolean
}

/** The narrowest place of a way. */
export interface Bottleneck {
  kbps: number
  /** What would wait longer is lost. */
  longestQueueMs: number
}

const NO_BOTTLENECK: Bottleneck = { kbps: 0, longestQueueMs: 0 }

/** Packets in one direction since the link is up. */
export interface LinkCount {
  sent: number
  lost: number
}

/** A second network behind a link whose quality can be reduced. Needs root. */
export class LossyLink {
  /** Name of the far network namespace. */
  readonly namespace: string
  /** Address of this machine as the far side reaches it. */
  readonly nearAddress = '198.18.77.1'
  readonly #process: ChildProcess
  readonly #lines: AsyncIterator<string>

  private constructor(namespace: string, child: ChildProcess) {
    this.namespace = namespace
    this.#process = child
    if (child.stdout === null) throw new Error('the link has no output')
    this.#lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  }

  /** Creates a network namespace and a link to it. The link is good at first. */
  static async open(): Promise<LossyLink> {
    const namespace = `parley-far-${process.pid}`
    await run('ip', ['netns', 'add', namespace])
    const program = path.join(import.meta.dirname, 'lossy-link.py')
    const child = spawn('python3', [program, '-', '198.18.77.1/24', namespace, '198.18.77.2/24'], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    const link = new LossyLink(namespace, child)
    try {
      await link.#answer('UP')
      return link
    } catch (error) {
      await link.close()
      throw error
    }
  }

  async #answer(beginning: string): Promise<string> {
    const { value, done } = await within('the lossy link', 10_000, this.#lines.next())
    if (done || !String(value).startsWith(beginning)) throw new Error(`the lossy link said ${value}`)
    return String(value)
  }

  /** Sets the quality of both directions. @param toFar a bottleneck on the way to the far side */
  spoil(
    { lossPercent, delayMs, jitterMs, meanBurst = 1, reorders = false }: LinkQuality,
    toFar: Bottleneck | null = null,
  ): void {
    const quality = [lossPercent, delayMs, jitterMs, meanBurst, reorders ? 'free' : 'kept'].join(' ')
    const { kbps, longestQueueMs } = toFar ?? NO_BOTTLENECK
    this.#process.stdin?.write(`a-to-b ${quality} ${kbps} ${longestQueueMs}\n`)
    this.#process.stdin?.write(`b-to-a ${quality} 0 0\n`)
  }

  /** Packets sent and lost, towards the far side and back. */
  async statistics(): Promise<{ toFar: LinkCount; toNear: LinkCount }> {
    this.#process.stdin?.write('statistics\n')
    const [a = 0, b = 0, c = 0, d = 0] = (await this.#answer('STATISTICS')).split(' ').slice(1).map(Number)
    return { toFar: { sent: a, lost: b }, toNear: { sent: c, lost: d } }
  }

  /** Removes the link and the far network. Processes in it must have ended. */
  async close(): Promise<void> {
    const ended = new Promise((resolve) => this.#process.once('exit', resolve))
    if (this.#process.exitCode === null) {
      this.#process.stdin?.end()
      await ended
    }
    await run('ip', ['netns', 'delete', this.namespace])
  }
}
