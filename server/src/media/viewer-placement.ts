import { givesUp } from '../resources/overload-steps.ts'
import { MediaWorkerGone } from './media-plane.ts'
import { mediaShare } from './media-share.ts'
import type { PlacedLoad } from './placed-load.ts'
import type { OtherMachines, ViewerHost } from './viewer-host.ts'
import type { WorkerProcess } from './worker-process.ts'

/** Assumed load of a viewer until it is measured. All of it is in the event loop. */
const EXPECTED_VIEWER_CPU = 0.004
/** A room is served by one more worker where the event loop has so much less to do. */
const SHARE_FROM_LOOP = 0.05

/** A worker of this machine, and how busy it is. */
export interface LoadedWorker {
  worker: WorkerProcess
  /** Of all its threads. Decides who mixes a room. */
  cpu: PlacedLoad
  /** Of its event loop, through which all packets pass, on one core. Decides who serves viewers. */
  loop: PlacedLoad
}

/** Machines that viewers may be placed on beside this one. */
export interface Extension {
  machines: OtherMachines
  /** From this share of this machine on, which media take, new viewers go to a machine that is less busy. */
  fromShare: number
}

/** Whether a worker can carry anything. */
export const carries = ({ worker }: Pick<LoadedWorker, 'worker'>) => worker.ready && worker.hasPort
const takesAudience = (slot: LoadedWorker) => carries(slot) && !givesUp(slot.worker.load.step, 'no-audience')

/** The first of those that fit with the least weight. @throws MediaWorkerGone when none fits */
export function leastOf<S>(slots: readonly S[], isFit: (slot: S) => boolean, weight: (slot: S) => number): S {
  const [first, ...others] = slots.filter(isFit)
  if (!first) throw new MediaWorkerGone('no media worker is ready')
  return others.reduce((best, slot) => (weight(slot) < weight(best) ? slot : best), first)
}

/** Chooses who serves viewers. */
export class ViewerPlacement {
  /** Null while viewers stay on this machine. */
  extension: Extension | null = null
  readonly #slots: readonly LoadedWorker[]

  /** @param slots all workers of this machine */
  constructor(slots: readonly LoadedWorker[]) {
    this.#slots = slots
  }

  /** Whether there is power for more audience, here or elsewhere. */
  get admitsAudience(): boolean {
    const isHere = this.#slots.some(({ worker }) => !givesUp(worker.load.step, 'no-audience'))
    return isHere || this.extension?.machines.admitAudience === true
  }

  /**
   * At another machine where this one is busy and that is less so.
   * @param head of the room
   * @param serving others that serve viewers of this room already
   */
  anywhere(head: WorkerProcess, serving: ReadonlySet<ViewerHost>): ViewerHost {
    if (this.extension) {
      const { machines, fromShare } = this.extension
      const busy = this.#slots.some(takesAudience) ? this.#busyness : Number.POSITIVE_INFINITY
      const host = busy >= fromShare ? machines.place(serving, busy) : null
      if (host) return host
    }
    return this.here(head, serving)
  }

  /** Where there is most room here. One more worker for a room costs something too, and has to be worth it. */
  here(head: WorkerProcess, serving: ReadonlySet<ViewerHost>): WorkerProcess {
    const cost = (worker: WorkerProcess) => (worker === head || serving.has(worker) ? 0 : SHARE_FROM_LOOP)
    // Who was admitted is served, even if the machine has become too busy meanwhile.
    const fits = this.#slots.some(takesAudience) ? takesAudience : carries
    const slot = leastOf(this.#slots, fits, ({ loop, worker }) => loop.expected + cost(worker))
    slot.cpu.place(EXPECTED_VIEWER_CPU)
    slot.loop.place(EXPECTED_VIEWER_CPU)
    return slot.worker
  }

  /** Share of this machine that media take, or of one core that the least busy event loop takes, if that is more. */
  get #busyness(): number {
    const loops = this.#slots.filter(takesAudience).map(({ loop }) => loop.expected)
    return Math.max(mediaShare(this.#slots.map(({ worker }) => worker.load)), Math.min(...loops))
  }
}
