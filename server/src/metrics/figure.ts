import type { MediaWorkerState } from '../media/media-plane.ts'
import type { SessionRegistry } from '../rooms/sessions/session-registry.ts'
import type { DurationCounts, Labels } from './counts.ts'
import type { Tallies } from './tallies.ts'

interface Named {
  /** Without the prefix of the product. It ends in its unit, as in `seconds`, where it has one; a counter ends in `total`. */
  name: string
  /** What it is, for people. */
  help: string
}

/** One value of a figure. */
export interface Sample {
  value: number
  labels?: Labels
}

/** One figure of the server at the moment, as Prometheus shows it. */
export type Figure =
  | (Named & { type: 'gauge' | 'counter'; samples: Sample[] })
  | (Named & { type: 'histogram'; samples: DurationCounts[] })

/** Where the figures come from. */
export interface FigureSources {
  media: { readonly workers: readonly MediaWorkerState[] }
  sessions: Pick<SessionRegistry, 'sessions' | 'isDraining'>
  version: string
  tallies: Tallies
  refusedSignIns: { readonly counts: Readonly<Record<string, number>> }
  /** Rooms of other nodes that have viewers here, and the legs of these. */
  servedForOthers(): { rooms: number; legs: number }
  /** What is wrong with the server: see `GET /readyz`. */
  troubles(): Promise<readonly { part: string; isWarning?: boolean }[]>
  /** Time that a small write to the database takes, in seconds. Rejects when it takes none. */
  databaseSeconds(): Promise<number>
  /** Of the disk of the data folder. */
  disk(): Promise<{ freeBytes: number; totalBytes: number }>
}

/** A figure of one value without labels. */
export const one = (name: string, help: string, value: number): Figure => ({
  name,
  help,
  type: 'gauge',
  samples: [{ value }],
})
