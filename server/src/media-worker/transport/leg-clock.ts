/** Also the precision of the time at which a NACK is repeated. */
export const LEG_TICK_MS = 10

type Tick = (nowMs: number) => void

const ticks = new Set<Tick>()
let timer: NodeJS.Timeout | null = null

/**
 * Calls `tick` every {@link LEG_TICK_MS} with `performance.now()`. All legs of the process share one timer, which runs while there is a
 * leg. `tick` contains its own faults: what it throws would cost the other legs their turn.
 * @returns ends it
 */
export function everyLegTick(tick: Tick): () => void {
  ticks.add(tick)
  timer ??= setInterval(callAll, LEG_TICK_MS)
  return () => {
    ticks.delete(tick)
    if (ticks.size > 0 || !timer) return
    clearInterval(timer)
    timer = null
  }
}

function callAll(): void {
  const nowMs = performance.now()
  for (const tick of ticks) tick(nowMs)
}
