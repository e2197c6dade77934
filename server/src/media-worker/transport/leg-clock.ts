/** Also the precision of the time at which a NACK is repeated. */
export const LEG_TICK_MS = 10
/** How often a second {@link everyLegLook} calls. */
export const LOOKS_PER_SECOND = 10
const TICKS_PER_LOOK = 1000 / LEG_TICK_MS / LOOKS_PER_SECOND
/** So many look at the same moment before others do at another one: a process that wakes up seldom costs little. */
const LEGS_TOGETHER = 8

type Tick = (nowMs: number) => void

const ticks = new Set<Tick>()
/** One of them is called in each tick, so that not all legs look at the same moment. */
const looks: readonly Set<Tick>[] = Array.from({ length: TICKS_PER_LOOK }, () => new Set<Tick>())
/** Ticks are counted from here, also those that are left out because nobody needs them. */
let startedMs = 0
/** The last tick that was due. */
let latest = 0
let timer: NodeJS.Timeout | null = null
let isCalling = false

/**
 * Calls `tick` every {@link LEG_TICK_MS} with `performance.now()`. All legs of the process share one timer, which wakes the process
 * only when somebody is to be called. `tick` contains its own faults: what it throws would cost the other legs their turn.
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
  const notFull = looks.find(({ size }) => size < LEGS_TOGETHER)
  return register(notFull ?? looks.reduce((least, each) => (each.size < least.size ? each : least)), look)
}

function register(all: Set<Tick>, tick: Tick): () => void {
  if (isUnused()) {
    startedMs = performance.now()
    latest = 0
  }
  all.add(tick)
  // The timer may be set for a later tick than this one needs.
  if (all.size === 1 && !isCalling) arm()
  return () => {
    if (all.delete(tick) && isUnused()) disarm()
  }
}

function isUnused(): boolean {
  return ticks.size === 0 && looks.every(({ size }) => size === 0)
}

function arm(): void {
  disarm()
  if (isUnused()) return
  const nowMs = performance.now()
  // Node rounds a delay down.
  timer = setTimeout(callAll, Math.max(1, Math.ceil(startedMs + nextTick() * LEG_TICK_MS - nowMs)))
}

function disarm(): void {
  if (timer) clearTimeout(timer)
  timer = null
}

/** The next one in which somebody is to be called. */
function nextTick(): number {
  let next = latest + 1
  while (ticks.size === 0 && looks[next % TICKS_PER_LOOK]!.size === 0) next++
  return next
}

function callAll(): void {
  isCalling = true
  try {
    const nowMs = performance.now()
    const newest = Math.floor((nowMs - startedMs) / LEG_TICK_MS)
    const first = Math.max(latest + 1, newest - TICKS_PER_LOOK + 1)
    latest = newest
    for (const tick of ticks) tick(nowMs)
    for (let due = first; due <= newest; due++) for (const look of looks[due % TICKS_PER_LOOK]!) look(nowMs)
  } finally {
    isCalling = false
    arm()
  }
}
