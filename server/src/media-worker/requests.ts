import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type {
  WorkerEventName,
  WorkerEvents,
  WorkerMethod,
  WorkerMethods,
  WorkerSettings,
} from '../media/channel.ts'
import { repairRecording } from './outputs/repair.ts'
import { RoomMixer } from './room.ts'

/** How long a room that must be closed may take to finish its recordings, in milliseconds. */
const LOST_ROOM_TIMEOUT_MS = 5000

/** An event on its way to the server. */
export type EmitEvent = <E extends WorkerEventName>(message: { event: E; params: WorkerEvents[E] }) => void

/** A handler with nothing to say answers null. */
type Handler<M extends WorkerMethod> = [WorkerMethods[M]['result']] extends [null]
  ? (params: WorkerMethods[M]['params']) => void
  : (params: WorkerMethods[M]['params']) => WorkerMethods[M]['result'] | Promise<WorkerMethods[M]['result']>

type Handlers = { [M in WorkerMethod]: Handler<M> }

/** Everything this process can be asked for. */
export interface RequestHandler {
  /** @throws Error whose message is fit for the server's log, when the request cannot be met */
  handle<M extends WorkerMethod>(
    method: M,
    params: WorkerMethods[M]['params'],
  ): Promise<WorkerMethods[M]['result']>
  size(): { rooms: number; legs: number }
  /** Ends every room, recordings first. */
  close(): Promise<void>
}

/** Maps the channel's requests to the rooms of this process. */
export function createRequestHandler(settings: WorkerSettings, log: Logger, emit: EmitEvent): RequestHandler {
  const rooms = new Map<string, RoomMixer>()

  const roomOf = (params: { sessionId: string }): RoomMixer => {
    const room = rooms.get(params.sessionId)
    if (!room) throw new Error(`no media room ${params.sessionId}`)
    return room
  }

  /** Closes a room that throws again and again; the others go on. */
  const lose = async (sessionId: string, reason: string): Promise<void> => {
    const room = rooms.get(sessionId)
    if (!room) return
    rooms.delete(sessionId)
    log.error({ sessionId, reason }, 'a room is given up')
    const closed = room.close().catch((err: unknown) => log.error({ err, sessionId }, 'room not closed'))
    await Promise.race([closed, sleep(LOST_ROOM_TIMEOUT_MS, undefined, { ref: false })])
    emit({ event: 'roomLost', params: { sessionId, reason } })
  }

  const handlers: Handlers = {
    createRoom(params) {
      const { sessionId } = params
      if (rooms.has(sessionId)) throw new Error(`media room ${sessionId} exists already`)
      rooms.set(
        sessionId,
        new RoomMixer(params, settings, log, emit, (reason) => void lose(sessionId, reason)),
      )
    },
    async closeRoom(params) {
      const room = rooms.get(params.sessionId)
      rooms.delete(params.sessionId)
      return room ? room.close() : []
    },
    connectLeg: (params) => roomOf(params).connectLeg(params),
    closeLeg: (params) => roomOf(params).closeLeg(params.legId),
    setMember: (params) => roomOf(params).setMember(params),
    removeMember: (params) => roomOf(params).removeMember(params.memberId),
    setTiles: (params) => roomOf(params).setTiles(params.tiles),
    playTone: (params) => roomOf(params).playTone(params.tone),
    startRecording: (params) => roomOf(params).startRecording(params.recordingId, params.file),
    pauseRecording: (params) => roomOf(params).pauseRecording(params.recordingId),
    resumeRecording: (params) => roomOf(params).resumeRecording(params.recordingId),
    stopRecording: (params) => roomOf(params).stopRecording(params.recordingId),
    startStream: (params) => roomOf(params).startStream(params),
    stopStream: (params) => roomOf(params).stopStream(params.streamId),
    repairRecording: (params) => repairRecording(params.file),
  }

  return {
    async handle(method, params) {
      return ((await handlers[method](params)) ?? null) as WorkerMethods[typeof method]['result']
    },
    size() {
      let legs = 0
      for (const room of rooms.values()) legs += room.legCount
      return { rooms: rooms.size, legs }
    },
    async close() {
      await Promise.allSettled([...rooms.values()].map((room) => room.close()))
      rooms.clear()
    },
  }
}
