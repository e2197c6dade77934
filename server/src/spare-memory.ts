import { performance } from 'node:perf_hooks'

const LOOK_EVERY_MS = 1000
/** A start makes objects for some seconds. */
const FIRST_LOOK_MS = 3000
const LOOKS = 120
/** Share of a second in which the event loop may have worked. */
const QUIET = 0.1

/**
 * Gives memory back to the system that this process has taken and does not need any more. V8 keeps a third more than it uses until it
 * is short of memory, and the C library keeps what lies between blocks in use. Takes some 150 ms in the server, 50 ms in a worker
 * without rooms. Does less where Node does not allow it (`--expose-gc`), or the C library has no `malloc_trim` (musl, macOS).
 */
export async function spareMemory(): Promise<void> {
  globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' })
  if (process.platform !== 'linux') return
  try {
    const { default: koffi } = await import('koffi')
    koffi.load(null).func('malloc_trim', 'int', ['size_t'])(0)
  } catch {
    // The system takes it back when it is short of memory itself.
  }
}

/** Spares memory once, at the first quiet moment after the start. */
export function spareMemoryOnceQuiet(): void {
  let looks = 0
  let before = performance.eventLoopUtilization()
  const look = () => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, before)
    before = now
    if (utilization < QUIET) void spareMemory()
    else if (++looks < LOOKS) setTimeout(look, LOOK_EVERY_MS).unref()
  }
  setTimeout(look, FIRST_LOOK_MS).unref()
}

/** Spares memory a while after the last of the rooms has ended. */
export class SpareAfterRooms {
  readonly #afterLooks: number
  #idleLooks = 0
  #isSpared = true

  /** @param afterLooks how many looks in a row have to see no room */
  constructor(afterLooks: number) {
    this.#afterLooks = afterLooks
  }

  /** @returns whether it is time to give memory back */
  look(isIdle: boolean): boolean {
    this.#idleLooks = isIdle ? this.#idleLooks + 1 : 0
    if (!isIdle) this.#isSpared = false
    if (this.#isSpared || this.#idleLooks < this.#afterLooks) return false
    this.#isSpared = true
    return true
  }
}
