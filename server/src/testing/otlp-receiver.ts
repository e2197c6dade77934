import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

/** A span as OTLP/JSON has it. */
export interface ReceivedSpan {
  name: string
  traceId: string
  spanId: string
  parentSpanId?: string
  attributes: { key: string; value: Record<string, unknown> }[]
  status: { code?: number }
}

interface Export {
  resourceSpans: {
    resource: { attributes: ReceivedSpan['attributes'] }
    scopeSpans: { spans: ReceivedSpan[] }[]
  }[]
}

/** A collector that takes traces over OTLP/HTTP, in JSON (OpenTelemetry Protocol, section 4). */
export interface OtlpReceiver {
  readonly endpoint: string
  readonly spans: readonly ReceivedSpan[]
  /** Names of the services that sent something. */
  readonly services: ReadonlySet<unknown>
  close(): void
}

export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = []
  const services = new Set<unknown>()
  const server = createServer(async (request, response) => {
    if (request.method !== 'POST' || request.url !== '/v1/traces') return response.writeHead(404).end()
    const { resourceSpans } = (await json(request)) as Export
    for (const { resource, scopeSpans } of resourceSpans) {
      services.add(resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue)
      for (const scope of scopeSpans) spans.push(...scope.spans)
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { endpoint: `http://127.0.0.1:${port}`, spans, services, close: () => server.close() }
}
