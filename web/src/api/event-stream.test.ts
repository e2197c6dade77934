import fc from 'fast-check'
import { expect, test } from 'vitest'
import { EventStreamReader } from './event-stream.ts'

const STREAM =
  'id: a-1\nevent: snapshot\ndata: {"rooms":1}\n\n:\n\nevent: workers\ndata: []\n\nid: a-2\nevent: changed\ndata: 1\ndata: 2\n\n'
const EVENTS = [
  { event: 'snapshot', data: '{"rooms":1}', lastId: 'a-1' },
  { event: 'workers', data: '[]', lastId: 'a-1' },
  { event: 'changed', data: '1\n2', lastId: 'a-2' },
]

test('events are the same wherever the stream is cut', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(STREAM.length)), (cuts) => {
      const places = [0, ...cuts.sort((a, b) => a - b), STREAM.length]
      const reader = new EventStreamReader()
      const read = places.slice(1).flatMap((end, index) => reader.read(STREAM.slice(places[index], end)))
      expect(read).toEqual(EVENTS)
    }),
  )
})

test('what is not ended yet is not told', () => {
  expect(new EventStreamReader().read('event: now\ndata: {}\n')).toEqual([])
})
