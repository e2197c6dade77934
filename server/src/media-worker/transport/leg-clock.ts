/** Also the precision of the time at which a NACK is repeated. */
export const LEG_TICK_MS = 10
/** How often a second {@link everyLegLook} calls. */
export const LOOKS_PER_SECOND = 10
const TICKS_PER_LOOK = 1000 / LEG_TICK_MS / LOOKS_PER_SECOND

type Tick = (nowMs: number) => void

const ticks = new Set<Tick>()
/** One of them is called in each tick, so that not all legs look at the same moment. */
const looks: readonly Set<Tick>[] = Array.from({ length: TICKS_PER_LOOK }, () => new Set<Tick>())
let registered = 0
let phase = 0
let timer: NodeJS.Timeout | null = null

/**
 * Calls `tick` every {@link LEG_TICK_MS} with `performance.now()`. All legs of the process share one timer, which runs while there is a
 * leg. `tick` contains its own faults: what it throws would cost the other legs their turn.
 * @returns ends it. Idempotent
 */
export function everyLegTick(tick: Tick): () => void {
  return register(ticks, tick)
}

/**
 * The same {@link LOOKS_PER_SECOND} times a second, for what is not urgent: there may be a thousand viewers.
 * @returns ends it. Idempotent
 */
export function everyLegLook(look: Tick): () => void {
  return register(
    looks.reduce((least, each) => (each.size < least.size ? each : least)),
    look,
  )
}

function register(all: Set<Tick>, tick: Tick): () => void {
  all.add(tick)
  registered++
  timer ??= setInterval(callAll, LEG_TICK_MS)
  return () => {
    if (!all.delete(tick)) return
    registered--
    if (registered > 0 || !timer) return
    clearInterval(timer)
    timer = null
  }
}

function callAll(): void {
  const nowMs = performance.now()
  for (const tick of ticks) tick(nowMs)
  phase = (phase + 1) % looks.length
  for (const look of looks[phase]!) look(nowMs)
}
