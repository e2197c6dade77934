/** Plain facts about a span. Never a secret, and no path: paths may have secrets. */
export type SpanFacts = Readonly<Record<string, string | number | boolean>>

/** Work that is under way, in a trace. */
export interface OpenSpan {
  /** Adds what is known only at the end. */
  add(facts: SpanFacts): void
  /** @param failed whether the work failed through a fault of ours */
  end(failed?: boolean): void
  /** Runs something within it: spans that begin there are its children. */
  within<T>(work: () => T): T
}

/** Notes what the server does as spans of traces. */
export interface Tracing {
  /**
   * Begins a span below the one that runs, or below a caller's.
   * @param parent value of the caller's `traceparent` (W3C Trace Context, section 3.2)
   */
  begin(name: string, kind: 'server' | 'client' | 'internal', facts: SpanFacts, parent?: string): OpenSpan
  /** The `traceparent` of the span that runs; undefined without one. */
  traceparent(): string | undefined
}

let active: Tracing | null = null

/** The tracing of this process; null where it is off. */
export const tracing = (): Tracing | null => active

/** Switches tracing on or off for this process. */
export function useTracing(next: Tracing | null): void {
  active = next
}

/** Runs work in a span, if tracing is on. */
export async function inSpan<T>(
  name: string,
  kind: 'client' | 'internal',
  facts: SpanFacts,
  work: () => Promise<T>,
): Promise<T> {
  if (!active) return work()
  const span = active.begin(name, kind, facts)
  try {
    const result = await span.within(work)
    span.end()
    return result
  } catch (error) {
    const { code, fault } = error as { code?: unknown; fault?: unknown }
    span.add({ 'error.type': typeof code === 'string' ? code : (error as Error).name })
    span.end(fault !== 'caller')
    throw error
  }
}
