import { absent, BadValue, type Option, option } from './option.ts'

function httpUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return text
  throw new BadValue('an address such as http://collector.example.org:4318')
}

/** What others see of the server. */
export const observationOptions = {
  otlpEndpoint: option(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'URL',
    absent('(no traces)'),
    'Collector of OpenTelemetry that gets traces over OTLP/HTTP, such as http://localhost:4318. Its other standard variables count too.',
    httpUrl,
  ) as Option<string | null>,
}
