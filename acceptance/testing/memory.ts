import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { timePasses } from '../../server/src/testing/time-passes.ts'
import { eventually } from './eventually.ts'
import type { ServerProcess } from './server-process.ts'

/** Environment that a server needs for a measurement of its memory: the inspector gets a free port. */
export const MEMORY_ENV = { NODE_OPTIONS: '--inspect-port=127.0.0.1:0' }

const GARBAGE_TIMEOUT_MS = 10_000
/** Time for the system to take back freed pages in the background. */
const SETTLING_MS = 1000

/**
 * Resident memory of a server's own process in MiB, after a garbage collection. Without one, the number would show when
 * the last collection ran, and not what the server keeps.
 */
export async function keptMib(server: ServerProcess): Promise<number> {
  await collectGarbage(server)
  await timePasses(SETTLING_MS, 'freed pages go back to the system')
  const status = await readFile(`/proc/${server.pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024
}

/** Number of timers that a server's own process still holds, including those that do not keep it running. */
export async function mainTimers(server: ServerProcess): Promise<number> {
  const inspector = new WebSocket(await inspectorUrl(server))
  let lastId = 0
  const ask = async (method: string, params: object) => {
    const id = ++lastId
    const answered = new Promise<{ result: Record<string, { objectId: string; value: number }> }>(
      (resolve) => {
        inspector.addEventListener('message', ({ data }) => {
          const answer = JSON.parse(String(data))
          if (answer.id === id) resolve(answer)
        })
      },
    )
    inspector.send(JSON.stringify({ id, method, params }))
    return (await answered).result
  }
  try {
    await once(inspector, 'open')
    const expression = 'Object.getPrototypeOf(setTimeout(() => {}, 0))'
    const prototype = (await ask('Runtime.evaluate', { expression })).result
    const { objects } = await ask('Runtime.queryObjects', { prototypeObjectId: prototype?.objectId })
    const length = await ask('Runtime.callFunctionOn', {
      objectId: objects?.objectId,
      functionDeclaration: 'function () { return this.length }',
    })
    await ask('Runtime.releaseObject', { objectId: objects?.objectId })
    return length.result?.value ?? Number.NaN
  } finally {
    inspector.close()
  }
}

/** Collects garbage in the main thread and in the database threads. */
async function collectGarbage(server: ServerProcess): Promise<void> {
  const inspector = new WebSocket(await inspectorUrl(server))
  try {
    await once(inspector, 'open')
    const threads = new Set<string>()
    let done = 0
    const send = (method: string, params: object = {}) =>
      inspector.send(JSON.stringify({ id: 1, method, params }))
    inspector.addEventListener('message', ({ data }) => {
      const { id, method, params } = JSON.parse(String(data))
      if (method === 'NodeWorker.attachedToWorker') {
        threads.add(params.sessionId)
        const message = JSON.stringify({ id: 1, method: 'HeapProfiler.collectGarbage' })
        send('NodeWorker.sendMessageToWorker', { sessionId: params.sessionId, message })
      }
      if (method === 'NodeWorker.receivedMessageFromWorker') threads.delete(params.sessionId)
      if (id === 2) done++
    })
    send('NodeWorker.enable', { waitForDebuggerOnStart: false })
    inspector.send(JSON.stringify({ id: 2, method: 'HeapProfiler.collectGarbage' }))
    const isOver = () => done > 0 && threads.size === 0
    await eventually('a garbage collection', async () => isOver(), Boolean, { timeoutMs: GARBAGE_TIMEOUT_MS })
  } finally {
    inspector.close()
  }
}

/** Inspectors that were started, by process id. The log lines that name them do not stay for ever. */
const inspectorUrls = new Map<number, string>()

/** Returns the inspector's URL of a running process. Starts the inspector if necessary. */
async function inspectorUrl(server: ServerProcess): Promise<string> {
  const { pid } = server
  const known = inspectorUrls.get(pid)
  if (known !== undefined) return known
  const inLog = () => /Debugger listening on (ws:\S+)/.exec(server.logLines().join('\n'))?.[1] ?? ''
  process.kill(pid, 'SIGUSR1')
  const url = await eventually('an inspector', async () => inLog(), Boolean)
  inspectorUrls.set(pid, url)
  return url
}
