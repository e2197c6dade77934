import { constants, getPriority, setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { keepCompiledSoon } from '../../compile-cache.ts'
import {
  type ComposedFrame,
  Counter,
  clockOffsetMs,
  type FromThread,
  type PictureOptions,
  type ThreadData,
  type ToThread,
} from './messages.ts'
import { ThreadRoom } from './thread-room.ts'

/**
 * So much below the loop of packets and sound: nobody hears a picture that is 10 ms late. A step of `nice` is worth a quarter of
 * processor time. Only from some six steps on does Linux stop a picture in the middle for nearly every packet.
 */
const NICENESS = 9
/** Encoded pictures on their way, of all rooms. A loop of packets that is so far behind has stood still for seconds. */
const MOST_PICTURE_BYTES = 16 * 1024 * 1024
const BEAT_MS = 250

if (!parentPort) throw new Error('this is a thread of a media worker')
const port = parentPort
const { counters, clockOffsetMs: othersOffsetMs } = workerData as ThreadData
const shiftMs = clockOffsetMs() - othersOffsetMs
const rooms = new Map<number, ThreadRoom>()

const send = (message: FromThread, transfer: ArrayBuffer[] = []): void => port.postMessage(message, transfer)

function yieldToPackets(): void {
  try {
    // On Linux priorities belong to threads, and 0 is the one that asks: setpriority(2).
    if (process.platform === 'linux')
      setPriority(0, Math.min(getPriority(0) + NICENESS, constants.priority.PRIORITY_LOW))
  } catch {
    // A system without priorities.
  }
}

function sendFrame(frame: ComposedFrame): boolean {
  const { byteLength } = frame.data
  if (Atomics.load(counters, Counter.pictureBytes) + byteLength > MOST_PICTURE_BYTES) return false
  Atomics.add(counters, Counter.pictureBytes, byteLength)
  send(frame, [frame.data.buffer])
  return true
}

function countTicks(made: number, leftOut: number): void {
  Atomics.add(counters, Counter.ticksMade, made)
  Atomics.add(counters, Counter.ticksLeftOut, leftOut)
}

function countEncode(tookMs: number): void {
  Atomics.add(counters, Counter.encodes, 1)
  Atomics.add(counters, Counter.encodeUs, Math.round(tookMs * 1000))
}

function sendFault(room: number, thrown: unknown): void {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown))
  send({ kind: 'fault', room, where: 'picture', error })
}

function open(room: number, picture: PictureOptions): void {
  const now = () => performance.now() + shiftMs
  try {
    rooms.set(room, new ThreadRoom({ room, picture, now, send, sendFrame, countTicks, countEncode }))
  } catch (error) {
    sendFault(room, error)
  }
}

async function close(room: number): Promise<void> {
  const closing = rooms.get(room)
  rooms.delete(room)
  try {
    await closing?.close()
  } catch (error) {
    sendFault(room, error)
  }
  send({ kind: 'closed', room })
}

port.on('message', (message: ToThread) => {
  if (message.kind === 'frame') Atomics.sub(counters, Counter.cameraBytes, message.frame.data.byteLength)
  // Between two messages nothing native is at work.
  if (message.kind === 'end') process.exit()
  if (message.kind === 'open') open(message.room, message.options)
  else if (message.kind === 'close') void close(message.room)
  else rooms.get(message.room)?.take(message)
})

yieldToPackets()
keepCompiledSoon()
setInterval(() => Atomics.add(counters, Counter.beats, 1), BEAT_MS)
