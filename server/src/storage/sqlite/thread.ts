/** The thread that waits for the disk, so that the main thread does not. */
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { systemClock } from '../../clock.ts'
import { Connection } from './connection.ts'
import { GroupCommit } from './group-commit.ts'
import {
  type Answer,
  type FromThread,
  type Request,
  type ThreadData,
  type ToThread,
  toFailure,
} from './messages.ts'

const port = parentPort
if (!port) throw new Error('this is a worker thread')
const { file, mode } = workerData as ThreadData
const post = (message: FromThread) => port.postMessage(message)

/** Answers each read by itself, because reads need no commit. */
function read(connection: Connection, requests: readonly Request[]): void {
  for (const request of requests) {
    if (request.kind !== 'run') continue
    let outcome: Answer['outcome']
    try {
      outcome = connection.run(request.sql, request.parameters)
    } catch (error) {
      outcome = toFailure(error)
    }
    post([{ id: request.id, outcome }])
  }
}

/** Collects all messages that have arrived so far. */
function arrived(first: ToThread): ToThread[] {
  const messages = [first]
  for (let more = receiveMessageOnPort(port!); more; more = receiveMessageOnPort(port!)) {
    messages.push(more.message as ToThread)
  }
  return messages
}

function serve(connection: Connection): void {
  const group = new GroupCommit(connection, systemClock, post)
  port!.on('message', (first: ToThread) => {
    const messages = arrived(first)
    const requests = messages.flatMap((message) => (message === 'close' ? [] : message))
    if (mode === 'write') group.accept(requests)
    else read(connection, requests)
    if (messages.includes('close')) {
      connection.close()
      port!.close()
    }
  })
}

try {
  const connection = new Connection(file, mode)
  serve(connection)
  post('opened')
} catch (error) {
  post(toFailure(error))
  port.close()
}
