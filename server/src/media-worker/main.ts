import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { keepCompiledSoon } from '../compile-cache.ts'
import { Containment } from '../containment.ts'
import { logOutput } from '../log-output.ts'
import { LOAD_REPORT_INTERVAL_MS, type PictureFigures } from '../media/channel.ts'
import {
  WORKER_SETTINGS_VARIABLE,
  type WorkerMessage,
  type WorkerRequest,
  type WorkerSettings,
} from '../media/messages.ts'
import { SpareAfterRooms, spareMemory } from '../spare-memory.ts'
import { OverloadLadder } from './overload/ladder.ts'
import { StrainMeter } from './overload/strain.ts'
import { RoomsWhenNeeded } from './rooms-when-needed.ts'
import { takePort } from './transport/open-connection.ts'
import type { RtcSettings } from './transport/rtc-settings.ts'
import { chooseTransport } from './transport/transport-choice.ts'

/** How long recordings may take to be finished once the server is gone. The server's next start repairs the others. */
const SHUTDOWN_TIMEOUT_MS = 15_000
/** How often a worker without a UDP port looks for one. */
const PORT_RETRY_MS = 1000
/** Load reports without a room until its memory is given back. Threads that compose have ended by then. */
const REPORTS_UNTIL_SPARED = 35

const settings = JSON.parse(process.env[WORKER_SETTINGS_VARIABLE] ?? 'null') as WorkerSettings | null
if (!settings || !process.send) {
  process.stderr.write('A media worker is started by the server, not by hand.\n')
  process.exit(1)
}

const base = { pid: process.pid, part: 'media-worker' }
const log = pino({ level: settings.logLevel, base }, await logOutput())

// Rooms and legs contain their own faults. This is for the rest, such as a datagram that belongs to no leg.
const containment = new Containment(log)
process.on('uncaughtException', (error) => containment.note('uncaught exception', error))
process.on('unhandledRejection', (reason) => containment.note('unhandled rejection', reason))

/** The channel may close at any time. Messages after that are dropped. */
const send = (message: WorkerMessage): void => {
  if (process.connected) process.send?.(message, undefined, undefined, () => {})
}

// A terminal's Ctrl-C reaches the whole process group; the server alone decides when its workers end.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => {})

const { transport, obstacle } = await chooseTransport(settings.transport)
if (obstacle !== null) log.warn({ obstacle }, 'the OpenSSL transport cannot serve here; libdatachannel does')
log.info({ transport }, 'media transport')
const rtc: RtcSettings = {
  transport,
  portRange: { begin: settings.portRange.first, end: settings.portRange.last },
  ...(settings.announcedIp === null ? {} : { announcedIp: settings.announcedIp }),
}
const rooms = new RoomsWhenNeeded({ rtc, log, onNotice: send, onStuck: () => shutDown('SIGKILL') })

process.on('message', (message) => {
  const request = message as WorkerRequest
  const { id, traceparent } = request
  rooms.answer(request).then(
    (result) => send({ id, result }),
    (error: unknown) => {
      log.warn({ err: error, method: request.method, traceparent }, 'request refused')
      send({ id, error: error instanceof Error ? error.message : String(error) })
    },
  )
})

let shuttingDown = false
/**
 * Finishes the recordings and ends this process, at the latest after {@link SHUTDOWN_TIMEOUT_MS}.
 * @param signal ends it where a thread hangs: an orderly exit would wait for that for ever
 */
function shutDown(signal?: 'SIGKILL'): void {
  if (shuttingDown) return
  shuttingDown = true
  const end = (code: number) => (signal ? process.kill(process.pid, signal) : process.exit(code))
  setTimeout(() => end(1), SHUTDOWN_TIMEOUT_MS)
  void rooms.close().finally(() => end(0))
}
// The server closed the channel, or is dead.
process.on('disconnect', () => shutDown())
// The server may have died while this process was starting, before the listener above.
if (!process.connected) shutDown()

const strainMeter = new StrainMeter()
const ladder = new OverloadLadder(settings.overloadStep)
const spare = new SpareAfterRooms(REPORTS_UNTIL_SPARED)
let lastCpu = process.cpuUsage()
let lastLoop = performance.eventLoopUtilization()
let lastReportMs = performance.now()
const pictures: PictureFigures = { made: 0, leftOut: 0, encodes: 0, encodeSeconds: 0 }

function addPictures(taken: PictureFigures): void {
  pictures.made += taken.made
  pictures.leftOut += taken.leftOut
  pictures.encodes += taken.encodes
  pictures.encodeSeconds += taken.encodeSeconds
}

setInterval(() => {
  const spent = process.cpuUsage(lastCpu)
  const nowMs = performance.now()
  const cpu = (spent.user + spent.system) / 1000 / (nowMs - lastReportMs)
  lastCpu = process.cpuUsage()
  lastReportMs = nowMs
  const loopSpent = performance.eventLoopUtilization()
  const loop = performance.eventLoopUtilization(loopSpent, lastLoop).utilization
  lastLoop = loopSpent
  const taken = rooms.takePictures()
  const strain = strainMeter.take(taken)
  addPictures(taken)
  const { longestDelayMs: eventLoopDelayMs, picturesLeftOut, spareCpu } = strain
  if (ladder.report(strain)) {
    log.warn({ step: ladder.step, ...strain }, 'what the worker gives up has changed')
    rooms.giveUp(ladder.step)
  }
  const { step } = ladder
  const load = { cpu, loop, eventLoopDelayMs, spareCpu, picturesLeftOut, step }
  const { size, packets } = rooms
  send({ event: 'load', params: { ...load, ...size, packets, pictures } })
  if (spare.look(size.rooms + size.legs === 0)) void spareMemory()
}, LOAD_REPORT_INTERVAL_MS)

/** @returns whether this process now has a UDP port of its range */
async function hasTakenPort(): Promise<boolean> {
  try {
    await takePort(rtc)
    return true
  } catch (error) {
    log.error({ err: error }, 'a media worker looks for a UDP port')
    return false
  }
}

// A worker without a port goes on and says so: a new process would find no port either.
let hasPort = await hasTakenPort()
send({ event: 'port', params: { isOurs: hasPort } })
send({ event: 'ready', params: { pid: process.pid } })
keepCompiledSoon()
while (!hasPort && !shuttingDown) {
  await sleep(PORT_RETRY_MS)
  hasPort = await hasTakenPort()
  if (hasPort) send({ event: 'port', params: { isOurs: true } })
}
