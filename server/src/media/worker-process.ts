import { type ChildProcess, fork } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { constants, getPriority, setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { Containment } from '../containment.ts'
import { inSpan, tracing } from '../tracing/spans.ts'
import {
  LOAD_REPORT_INTERVAL_MS,
  ROOM_EVENTS,
  ROOM_METHODS,
  type RoomMethod,
  type RoomMethods,
  WORKER_EVENTS,
  WORKER_METHODS,
  type WorkerLoad,
  type WorkerMethod,
  type WorkerMethods,
} from './channel.ts'
import { MediaWorkerGone } from './media-plane.ts'
import {
  type ProcessNotice,
  type ProcessRequest,
  type RoomNotice,
  type RoomRequest,
  WORKER_SETTINGS_VARIABLE,
  type WorkerMessage,
  type WorkerSettings,
} from './messages.ts'
import type { ViewerHost } from './viewer-host.ts'
import { confineWorker } from './worker-confinement.ts'

const ENTRY_POINT = fileURLToPath(new URL('../media-worker/main.ts', import.meta.url))
/**
 * Time-outs of a worker are counted in ticks of this process. While this process stands still (stopped, or in a paused
 * virtual machine) there are no ticks, and between two ticks it reads what the worker has sent.
 */
const TICK_MS = LOAD_REPORT_INTERVAL_MS
/** A worker that has not reported its load for so long hangs in native code and is killed. */
const SILENCE_LIMIT_TICKS = 10
/** The same before its first message, while it loads its native parts. */
const START_LIMIT_TICKS = 30
/**
 * Niceness of workers, above that of the main process. The main process has little to do, but many clients wait for it.
 * What takes long, composing, is much further below (`media-worker/composing/thread-main.ts`). It gets what packets, sound and
 * requests leave over, which is nearly all.
 */
const WORKER_NICENESS = 1

/** Before the first report. */
const NO_LOAD: WorkerLoad = {
  cpu: 0,
  loop: 0,
  eventLoopDelayMs: 0,
  spareCpu: 0,
  picturesLeftOut: 0,
  step: 'none',
  rooms: 0,
  legs: 0,
  packets: { received: 0, lost: 0, repaired: 0, sent: 0, sentAgain: 0, reported: 0, reportedLost: 0 },
  pictures: { made: 0, leftOut: 0, encodes: 0, encodeSeconds: 0 },
}

interface PendingRequest {
  resolve: (result: never) => void
  reject: (error: Error) => void
  method: string
  ticksLeft: number
}

interface WorkerProcessEvents {
  /** The worker takes requests, has got its UDP port, or reports its load: see the fields of {@link WorkerProcess}. */
  ready: []
  port: []
  load: []
  /** Something happened in one of its rooms. */
  room: [RoomNotice]
  /** The process has ended, wanted or not. Always the last event. */
  exit: [{ reason: string; wanted: boolean }]
}

/** One media worker process, seen from outside: typed requests in, typed events out. */
export class WorkerProcess extends EventEmitter<WorkerProcessEvents> implements ViewerHost {
  readonly settings: WorkerSettings
  readonly #containment: Containment
  readonly #ticker: NodeJS.Timeout
  #child: ChildProcess
  #pending = new Map<number, PendingRequest>()
  #lastId = 0
  #ready = false
  #hasPort = false
  #stopping = false
  #gone: string | null = null
  #silentTicks = 0
  #load: WorkerLoad = NO_LOAD

  /**
   * @param folders absolute paths that the worker may write into
   * @param containment catches what a listener throws, so that other events still arrive
   */
  constructor(settings: WorkerSettings, folders: readonly string[], containment: Containment) {
    super()
    this.settings = settings
    this.#containment = containment
    const { execPath, execArgv, env } = confineWorker(folders)
    this.#child = fork(ENTRY_POINT, [], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      execPath,
      execArgv,
      env: { ...env, [WORKER_SETTINGS_VARIABLE]: JSON.stringify(settings) },
    })
    this.#yieldToMainProcess()
    this.#child.on('message', (message) => this.#receive(message as WorkerMessage))
    this.#ticker = setInterval(() => this.#tick(), TICK_MS).unref()
    this.#child.on('error', (error) => this.#end(error.message))
    this.#child.on('exit', (code, signal) => this.#end(signal ? `killed by ${signal}` : `exit code ${code}`))
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  get facts(): { pid: number | undefined } {
    return { pid: this.pid }
  }

  /** The worker has loaded its native parts and takes requests. */
  get ready(): boolean {
    return this.#ready && this.#gone === null
  }

  /** The worker has a UDP port, without which it carries no room. */
  get hasPort(): boolean {
    return this.#hasPort
  }

  /** The newest load report. */
  get load(): WorkerLoad {
    return this.#load
  }

  /**
   * Sends a request to the process and waits for its answer.
   * @throws MediaWorkerGone when the process is gone or does not answer within the time-out of `channel.ts`, to a second
   * @throws Error with the worker's own words when it refuses
   */
  call<M extends WorkerMethod>(
    method: M,
    ...args: Parameters<WorkerMethods[M]>
  ): Promise<ReturnType<WorkerMethods[M]>> {
    return this.#request({ method, args }, WORKER_METHODS[method].timeoutMs)
  }

  /** Sends a request to one room and waits for its answer. @throws as {@link call} */
  callRoom<M extends RoomMethod>(
    sessionId: string,
    method: M,
    args: Parameters<RoomMethods[M]>,
  ): Promise<ReturnType<RoomMethods[M]>> {
    return this.#request({ sessionId, method, args }, ROOM_METHODS[method].timeoutMs)
  }

  #request<Result>(
    request: Omit<RoomRequest, 'id'> | Omit<ProcessRequest, 'id'>,
    timeoutMs: number,
  ): Promise<Result> {
    const facts = {
      'parley.worker': this.pid ?? 0,
      ...('sessionId' in request && { 'parley.session_id': request.sessionId }),
    }
    return inSpan(`worker ${request.method}`, 'client', facts, () => this.#send<Result>(request, timeoutMs))
  }

  #send<Result>(
    request: Omit<RoomRequest, 'id'> | Omit<ProcessRequest, 'id'>,
    timeoutMs: number,
  ): Promise<Result> {
    if (this.#gone !== null) return Promise.reject(new MediaWorkerGone(this.#gone))
    const id = ++this.#lastId
    const traceparent = tracing()?.traceparent()
    return new Promise((resolve, reject) => {
      // The current tick is under way already.
      const ticksLeft = Math.ceil(timeoutMs / TICK_MS) + 1
      this.#pending.set(id, { resolve, reject, method: request.method, ticksLeft })
      this.#child.send({ id, ...request, ...(traceparent !== undefined && { traceparent }) }, (error) => {
        if (error) this.#settle(id)?.reject(new MediaWorkerGone(error.message))
      })
    })
  }

  /** Lets the worker finish its recordings and exit; kills it after `graceMs`. Resolves when it has ended. */
  stop(graceMs = 5000): Promise<void> {
    this.#stopping = true
    if (this.#gone !== null) return Promise.resolve()
    return new Promise((resolve) => {
      const force = setTimeout(() => this.kill(), graceMs)
      this.once('exit', () => {
        clearTimeout(force)
        resolve()
      })
      if (this.#child.connected) this.#child.disconnect()
    })
  }

  kill(): void {
    this.#child.kill('SIGKILL')
  }

  /** Priorities belong to threads. The child has only one thread yet, and later ones inherit its priority. */
  #yieldToMainProcess(): void {
    if (this.#child.pid === undefined) return
    try {
      setPriority(this.#child.pid, Math.min(getPriority() + WORKER_NICENESS, constants.priority.PRIORITY_LOW))
    } catch {
      // The child has ended already (its exit event follows), or the system has no priorities.
    }
  }

  #receive(message: WorkerMessage): void {
    this.#silentTicks = 0
    if ('event' in message) {
      this.#onEvent(message)
      return
    }
    const pending = this.#settle(message.id)
    if (!pending) return
    if ('error' in message) pending.reject(new Error(message.error))
    else pending.resolve(message.result as never)
  }

  #settle(id: number): PendingRequest | undefined {
    const pending = this.#pending.get(id)
    if (!pending) return undefined
    this.#pending.delete(id)
    return pending
  }

  /** Drops events that the channel does not declare: a worker parses what strangers send, so it is trusted least. */
  #onEvent(message: RoomNotice | ProcessNotice): void {
    const sessionId = 'sessionId' in message ? message.sessionId : undefined
    try {
      if ('sessionId' in message) {
        if (Object.hasOwn(ROOM_EVENTS, message.event)) this.emit('room', message)
      } else if (Object.hasOwn(WORKER_EVENTS, message.event)) {
        this.#note(message)
        this.emit(message.event)
      }
    } catch (error) {
      this.#containment.note(`worker event ${message.event}`, error, { pid: this.pid, sessionId })
    }
  }

  #note(message: ProcessNotice): void {
    if (message.event === 'ready') this.#ready = true
    if (message.event === 'port') this.#hasPort = message.params.isOurs
    if (message.event === 'load') this.#load = message.params
  }

  #tick(): void {
    if (++this.#silentTicks > (this.#ready ? SILENCE_LIMIT_TICKS : START_LIMIT_TICKS)) this.kill()
    for (const [id, pending] of this.#pending) {
      if (--pending.ticksLeft > 0) continue
      this.#settle(id)?.reject(new MediaWorkerGone(`no answer to ${pending.method} in time`))
    }
  }

  #end(reason: string): void {
    if (this.#gone !== null) return
    this.#gone = reason
    clearInterval(this.#ticker)
    for (const id of [...this.#pending.keys()]) this.#settle(id)?.reject(new MediaWorkerGone(reason))
    this.emit('exit', { reason, wanted: this.#stopping })
  }
}
