import { BUCKETS, type DurationCounts, type Labels } from './counts.ts'
import type { Figure } from './figure.ts'

/** A figure in the text format of Prometheus, version 0.0.4. */
export function exposed(figure: Figure, prefix: string): string {
  const name = prefix + figure.name
  const lines =
    figure.type === 'histogram'
      ? figure.samples.flatMap((sample) => histogramLines(name, sample))
      : figure.samples.map(({ labels = {}, value }) => line(name, labels, value))
  return [`# HELP ${name} ${figure.help}`, `# TYPE ${name} ${figure.type}`, ...lines].join('\n')
}

function histogramLines(name: string, { labels, upTo, count, sumSeconds }: DurationCounts): string[] {
  return [
    ...BUCKETS.map((bound, index) =>
      line(`${name}_bucket`, { ...labels, le: String(bound) }, upTo[index] ?? 0),
    ),
    line(`${name}_bucket`, { ...labels, le: '+Inf' }, count),
    line(`${name}_sum`, labels, sumSeconds),
    line(`${name}_count`, labels, count),
  ]
}

function line(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`)
  return `${name}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${value}`
}

const escaped = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
