import { type Actor, type AuditAction, recordAct } from '../../audit/audit.ts'
import type { Clock } from '../../clock.ts'
import type { Configuration } from '../../resources/server-state.ts'
import type { SessionRegistry } from '../../rooms/sessions/session-registry.ts'
import type { Storage } from '../../storage/storage.ts'
import type { Backups } from './backups.ts'

/** What runs, and since when. */
export interface RunningVersion {
  version: string
  node: string
  platform: string
  /** Unix milliseconds. */
  startedAt: number
}

/** What the operator sees and does without a shell. Every act is in the audit log. */
export interface OperatorDesk {
  readonly version: RunningVersion
  readonly configuration: Configuration
  readonly backups: Backups
  readonly drain: { draining: boolean; sessions: number }
  setDraining(draining: boolean, by: Actor): Promise<void>
  /** @throws Refusal `no_space` */
  backUp(by: Actor): Promise<void>
  /** Notes that somebody had the server examined. */
  noteCheckup(projectId: string, by: Actor): Promise<void>
}

export interface OperatorDeskOptions {
  storage: Pick<Storage, 'audit'>
  clock: Clock
  sessions: Pick<SessionRegistry, 'sessions' | 'isDraining'>
  version: RunningVersion
  configuration: Configuration
  backups: Backups
  /** Project whose owners operate the server. */
  projectId: string
}

/** Creates {@link OperatorDesk}. */
export function createOperatorDesk(options: OperatorDeskOptions): OperatorDesk {
  const { storage, clock, sessions, version, configuration, backups, projectId } = options
  const record = (action: AuditAction, actor: Actor, details = {}, about = projectId) =>
    recordAct(storage, { actor, action, projectId: about, details }, clock.now())
  return {
    version,
    configuration,
    backups,
    get drain() {
      return { draining: sessions.isDraining, sessions: sessions.sessions.length }
    },
    async setDraining(draining, by) {
      if (draining === sessions.isDraining) return
      await record(draining ? 'server.drain' : 'server.undrain', by)
      sessions.isDraining = draining
    },
    backUp: (by) => backups.start((name) => record('backup.create', by, { name })),
    noteCheckup: (about, by) => record('server.checkup', by, {}, about),
  }
}
