import { expect, it } from 'vitest'
import { Counts, Durations } from './counts.ts'
import { exposed } from './exposition.ts'

it('are bounded: what comes after two thousand sets of labels counts as one more', () => {
  const counts = new Counts<'method' | 'route'>()
  for (let i = 0; i < 5000; i++) counts.add({ method: 'GET', route: `/r${i}` })
  const samples = counts.samples()
  expect(samples).toHaveLength(2001)
  expect(samples.at(-1)).toEqual({ labels: { method: 'other', route: 'other' }, value: 3000 })
  counts.add({ method: 'GET', route: '/r7' })
  expect(counts.samples()[7]?.value).toBe(2)
})

it('sort durations into buckets, each with all that are shorter', () => {
  const durations = new Durations<'route'>()
  for (const seconds of [0.001, 0.03, 0.05, 99]) durations.add(seconds, { route: 'a"\\\n' })
  const text = exposed(
    { name: 'd_seconds', help: 'D.', type: 'histogram', samples: durations.samples() },
    'p_',
  )
  expect(text).toContain('# TYPE p_d_seconds histogram')
  expect(text).toContain('p_d_seconds_bucket{route="a\\"\\\\\\n",le="0.05"} 3')
  expect(text).toContain('le="10"} 3\n')
  expect(text).toContain('le="+Inf"} 4\n')
  expect(text).toContain('_count{route="a\\"\\\\\\n"} 4')
})
