import { expect, test } from 'vitest'
import type { SessionEvent } from '../sessions/session-queries.ts'
import { marksOf } from './marks.ts'

const event = (name: string, seconds: number, payload: Record<string, unknown> = {}) =>
  ({
    id: `${name}${seconds}`,
    name,
    payload,
    created_at: new Date(seconds * 1000).toISOString(),
  }) as SessionEvent
const span = (from: number, to: number) => ({ from: from * 1000, to: to * 1000 })

test('marks lie where the recording shows them, pauses left out', () => {
  const events = [
    event('member.joined', 5),
    event('member.joined', 10),
    event('member.joined', 12, { type: 'screen' }),
    event('layout.changed', 25),
    event('member.updated', 30, { changed: { handraised: true } }),
    event('member.updated', 31, { changed: { audio_muted: true } }),
    event('room.updated', 32),
    event('member.left', 40),
  ]
  const marks = marksOf(events, [span(10, 20), span(30, 40)])
  expect(marks.map(({ event: { id }, part }) => [id, part])).toEqual([
    ['member.joined10', 0],
    ['member.joined12', 0.1],
    ['member.updated30', 0.5],
    ['member.left40', 1],
  ])
})

test('nothing recorded has no marks', () => {
  expect(marksOf([event('member.joined', 5)], [])).toEqual([])
})
