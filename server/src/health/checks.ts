import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import type { OverloadStep } from '../resources/overload-steps.ts'
import { diskSpace, tryWriting } from '../storage/disk-space.ts'
import { isPassingFailure } from '../storage/passing-failure.ts'
import type { Storage } from '../storage/storage.ts'
import { type Check, Readiness, type Trouble } from './readiness.ts'

/** Checks that the database accepts writes. */
function databaseCheck(storage: Pick<Storage, 'heartbeats'>, clock: Clock): Check {
  return {
    part: 'database',
    async look() {
      try {
        await storage.heartbeats.beat(clock.now())
        return null
      } catch (error) {
        const code = isPassingFailure(error) ? 'database_away' : 'database_unusable'
        const message = 'The database takes no writes: it is away, full, locked or read-only. See the log.'
        return { part: 'database', code, message }
      }
    },
  }
}

/** Checks that the data folder accepts files, and has space for recordings. */
function diskCheck(folder: string, minFreeBytes: number): Check {
  return {
    part: 'disk',
    async look() {
      const obstacle = await tryWriting(folder)
      if (obstacle === 'full') {
        const message = 'The data folder takes no files: it is full. Make room.'
        return { part: 'disk', code: 'disk_full', message }
      }
      if (obstacle) {
        const message =
          'The data folder takes no files: it is read-only or its disk is broken. See the log of the system.'
        return { part: 'disk', code: 'disk_unwritable', message }
      }
      const { freeBytes } = await diskSpace(folder)
      if (freeBytes >= minFreeBytes) return null
      const message = `Only ${Math.floor(freeBytes / 1e6)} MB are free in the data folder: nothing is recorded. Make room.`
      return { part: 'disk', code: 'disk_low', message, isWarning: true }
    },
  }
}

/** State of all media workers together. */
interface MediaWorkersState {
  readonly ready: boolean
  readonly size: number
  /** Number of workers without a UDP port. */
  readonly portless: number
  /** Names the programs that use their ports, or is empty. */
  portHolders(): Promise<string>
  /** The furthest step that any of them takes because the machine has too much to do. */
  readonly overloadStep: OverloadStep
}

/** Checks that every media worker answers, and has a UDP port. */
function workersCheck(media: MediaWorkersState, wanted: number): Check[] {
  return [
    {
      part: 'workers',
      look: () =>
        media.ready
          ? null
          : { part: 'workers', code: 'workers_missing', message: 'A media worker is being started.' },
    },
    { part: 'workers', look: () => overloaded(media.overloadStep) },
    {
      part: 'ports',
      look: async () => (await portsTaken(media)) ?? tooFewPorts(media.size, wanted),
    },
  ]
}

function overloaded(step: OverloadStep): Trouble | null {
  if (step === 'none') return null
  const message = `The media workers have too much to do. They have gone as far as the step ${step}.`
  return { part: 'workers', code: 'overloaded', message, isWarning: true }
}

async function portsTaken(media: MediaWorkersState): Promise<Trouble | null> {
  const { portless, size } = media
  if (portless === 0) return null
  const holders = await media.portHolders()
  const message = `Other programs use all UDP ports of ${portless} of ${size} media workers${holders && `: ${holders}`}. Stop them, or set PARLEY_RTC_PORTS to others.`
  return { part: 'ports', code: 'ports_taken', message, isWarning: portless < size }
}

function tooFewPorts(size: number, wanted: number): Trouble | null {
  if (size >= wanted) return null
  const message = `There are UDP ports for ${size} of ${wanted} media workers. Set PARLEY_RTC_PORTS to more.`
  return { part: 'ports', code: 'too_few_ports', message, isWarning: true }
}

/** Phase of the server's life. */
export interface ServerState {
  phase: 'starting' | 'running' | 'stopping'
  isListening: () => boolean
  /** Whether an operator has it take no new sessions. */
  isDraining: () => boolean
}

/** Checks that the server listens, and is not stopping. */
function listeningCheck(state: ServerState): Check {
  return {
    part: 'server',
    look() {
      const { phase } = state
      if (phase !== 'running') return { part: 'server', code: phase, message: `The server is ${phase}.` }
      if (state.isListening()) return null
      return { part: 'ports', code: 'not_listening', message: 'The TCP port is not listened to.' }
    },
  }
}

/** Tells that no new session begins. The server can still serve: people who are in meetings come back to it. */
function drainCheck(state: ServerState): Check {
  const message = 'The server takes no new sessions, because an operator empties it.'
  return {
    part: 'server',
    look: () => (state.isDraining() ? { part: 'server', code: 'draining', message, isWarning: true } : null),
  }
}

/** Creates all checks that decide whether the server can serve. */
export function createReadiness(parts: {
  config: Pick<Config, 'dataDir' | 'minFreeBytes' | 'mediaWorkers'>
  storage: Pick<Storage, 'heartbeats'>
  media: MediaWorkersState
  clock: Clock
  state: ServerState
}): Readiness {
  const { config, storage, media, clock, state } = parts
  return new Readiness([
    listeningCheck(state),
    drainCheck(state),
    databaseCheck(storage, clock),
    diskCheck(config.dataDir, config.minFreeBytes),
    ...workersCheck(media, config.mediaWorkers),
  ])
}
