import { within } from '../../room/within.ts'

/** A context that does not start within this time sends silence. */
const START_MS = 3_000

let shared: { context: AudioContext; ready: Promise<void>; uses: number } | null = null

/**
 * The running context that all suppressors share. Each caller gives it back with {@link closeWhenUnused}.
 * @param workletUrl code to load into it
 * @throws if it does not run: the browser would send silence
 */
export async function soundContext(sampleRate: number, workletUrl: string): Promise<AudioContext> {
  shared ??= open(sampleRate, workletUrl)
  const { context, ready } = shared
  shared.uses += 1
  try {
    await within(START_MS, ready)
    return context
  } catch (error) {
    closeWhenUnused(context)
    throw error
  }
}

/** Gives a context back. The last one who does closes it. */
export function closeWhenUnused(context: AudioContext): void {
  if (shared?.context !== context) return
  shared.uses -= 1
  if (shared.uses > 0) return
  shared = null
  window.removeEventListener('pointerdown', resume)
  void context.close()
}

function open(sampleRate: number, workletUrl: string) {
  const context = new AudioContext({ sampleRate, latencyHint: 'interactive' })
  // A phone call interrupts it, and some browsers wait for a click.
  context.addEventListener('statechange', resume)
  window.addEventListener('pointerdown', resume)
  const ready = Promise.all([context.audioWorklet.addModule(workletUrl), context.resume()]).then(() => {})
  return { context, ready, uses: 0 }
}

function resume(): void {
  const context = shared?.context
  if (context && context.state !== 'running' && context.state !== 'closed')
    void context.resume().catch(() => {})
}
