import { Worker } from 'node:worker_threads'
import { MustEnd } from '../../containment.ts'
import type { Outcome } from './connection.ts'
import {
  type Answer,
  type EndRequest,
  type Failure,
  type FromThread,
  fromFailure,
  type Request,
  type RunRequest,
  type ThreadData,
} from './messages.ts'

interface Waiting {
  resolve(outcome: Outcome): void
  reject(error: Error): void
}

/**
 * Stops the server, because it can no longer write. It shuts down in order, and the process supervisor starts it
 * again.
 */
function stopEverything(error: Error): void {
  throw new MustEnd(error.message, { cause: error.cause })
}

/** Options of a database thread. */
export interface ThreadOptions {
  /** Called when the thread ends by itself. By default the error is thrown and ends the server. */
  onFault?: (error: Error) => void
  /** Called before the callers get their answers. */
  onAnswers?: () => void
  /** The script of the thread. */
  script?: URL
}

const SCRIPT = new URL('./thread.ts', import.meta.url)

/** Rows and statements live for a moment only. By default a thread keeps many times as much for new objects. */
const MEMORY = { maxYoungGenerationSizeMb: 6 }

type WithoutId<T> = T extends unknown ? Omit<T, 'id'> : never

/** A connection in a separate thread, as the main thread uses it. */
export class DatabaseThread {
  readonly #worker: Worker
  readonly #waiting = new Map<number, Waiting>()
  readonly #exited: Promise<void>
  #unsent: Request[] = []
  #lastId = 0
  #closed: Error | undefined

  private constructor(worker: Worker, { onFault = stopEverything, onAnswers = () => {} }: ThreadOptions) {
    this.#worker = worker
    let cause: unknown
    worker.on('error', (error) => {
      cause = error
    })
    this.#exited = new Promise((resolve) => {
      worker.once('exit', () => {
        const wasTold = this.#closed !== undefined
        const error = new Error('the database thread has ended', { cause })
        this.#fail(error)
        resolve()
        if (!wasTold) onFault(error)
      })
    })
    worker.on('message', (answers: Answer[]) => {
      onAnswers()
      this.#settle(answers)
    })
    // The thread keeps the process alive only while a request is pending.
    worker.unref()
  }

  /**
   * Starts the thread. The thread opens the file.
   * @throws SqliteError when the file cannot be opened
   */
  static async open(data: ThreadData, options: ThreadOptions = {}): Promise<DatabaseThread> {
    const worker = new Worker(options.script ?? SCRIPT, { workerData: data, resourceLimits: MEMORY })
    await new Promise<void>((resolve, reject) => {
      worker.once('error', reject)
      worker.once('message', (message: FromThread) => {
        worker.off('error', reject)
        if (message === 'opened') resolve()
        else reject(fromFailure(message as Failure))
      })
    })
    return new DatabaseThread(worker, options)
  }

  /**
   * Resolves once a write is on disk. Within a transaction, it resolves as soon as the statement is executed.
   * @throws SqliteError
   */
  ask(request: WithoutId<RunRequest | EndRequest>): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      if (this.#closed) {
        reject(this.#closed)
        return
      }
      const id = ++this.#lastId
      if (this.#waiting.size === 0) this.#worker.ref()
      this.#waiting.set(id, { resolve, reject })
      // Requests of one turn of the event loop are sent as one message.
      if (this.#unsent.length === 0) setImmediate(() => this.#send())
      this.#unsent.push({ ...request, id })
    })
  }

  /** Closes the connection after all earlier requests are done. */
  async close(): Promise<void> {
    if (!this.#closed) {
      this.#closed = new Error('the database is closed')
      this.#send()
      this.#worker.ref()
      this.#worker.postMessage('close')
    }
    await this.#exited
  }

  #send(): void {
    if (this.#unsent.length === 0) return
    const requests = this.#unsent
    this.#unsent = []
    try {
      this.#worker.postMessage(requests)
    } catch (error) {
      // A parameter cannot be sent to a thread, such as a function. Fail the whole batch: this is a programming
      // error, so it does not matter which request it was.
      const failure = error instanceof Error ? error : new Error(String(error))
      for (const { id } of requests) this.#take(id)?.reject(failure)
    }
  }

  #settle(answers: readonly Answer[]): void {
    for (const { id, outcome } of answers) {
      const waiting = this.#take(id)
      if ('code' in outcome) waiting?.reject(fromFailure(outcome))
      else waiting?.resolve(outcome)
    }
  }

  #take(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    if (this.#waiting.size === 0 && !this.#closed) this.#worker.unref()
    return waiting
  }

  #fail(error: Error): void {
    this.#closed ??= error
    for (const { reject } of this.#waiting.values()) reject(error)
    this.#waiting.clear()
  }
}
