import { type Context, context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import type { OpenSpan, Tracing } from './spans.ts'

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL }
/** How long the end of the server waits for a collector. */
const LAST_EXPORT_MS = 2000

/** What the traces say of this server. */
export interface TracedServer {
  version: string
  /** Name of the node. */
  instance: string
}

/**
 * Sends traces to a collector over OTLP/HTTP. Spans wait in memory, 2048 at most; what a slow collector does not take is dropped.
 * @param endpoint without the path `/v1/traces`
 * @returns the tracing, and what sends the rest and ends it
 */
export function openTelemetry(
  endpoint: string,
  { version, instance }: TracedServer,
): { tracing: Tracing; stop(): Promise<void> } {
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/+$/, '')}/v1/traces` })
  const own = resourceFromAttributes({
    'service.name': 'parley',
    'service.version': version,
    'service.instance.id': instance,
  })
  const provider = new TracerProvider({
    resource: own.merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  })
  const contexts = new AsyncLocalStorageContextManager().enable()
  context.setGlobalContextManager(contexts)
  propagation.setGlobalPropagator(new W3CTraceContextPropagator())
  const tracer = provider.getTracer('parley', version)
  const tracing: Tracing = {
    begin(name, kind, attributes, parent) {
      const from =
        parent === undefined
          ? context.active()
          : propagation.extract(context.active(), { traceparent: parent })
      const span = tracer.startSpan(name, { kind: KINDS[kind], attributes }, from)
      return openSpan(span, trace.setSpan(from, span))
    },
    traceparent() {
      const carrier: { traceparent?: string } = {}
      propagation.inject(context.active(), carrier)
      return carrier.traceparent
    },
  }
  return {
    tracing,
    async stop() {
      const late = new Promise<void>((resolve) => setTimeout(resolve, LAST_EXPORT_MS).unref())
      await Promise.race([provider.shutdown().catch(() => {}), late])
      context.disable()
      propagation.disable()
    },
  }
}

function openSpan(
  span: ReturnType<ReturnType<TracerProvider['getTracer']>['startSpan']>,
  inside: Context,
): OpenSpan {
  return {
    add: (facts) => void span.setAttributes(facts),
    end(failed = false) {
      if (failed) span.setStatus({ code: SpanStatusCode.ERROR })
      span.end()
    },
    within: (work) => context.with(inside, work),
  }
}
