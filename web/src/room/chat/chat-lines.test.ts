import { expect, test } from 'vitest'
import { chatLines } from './chat-lines.ts'
import { initialChat } from './chat-machine.ts'

const message = (id: string, memberId: string, atMs: number) => ({
  id,
  memberId,
  name: memberId,
  text: id,
  atMs,
})

test('names who writes once, until somebody else writes, something happens, or time passes', () => {
  const lines = chatLines({
    ...initialChat,
    selfId: 'ada',
    messages: [
      message('1', 'ada', 0),
      message('2', 'ada', 1000),
      message('3', 'bob', 2000),
      message('4', 'bob', 5000),
      message('5', 'bob', 500_000),
    ],
    notes: [
      { key: 'n', what: { is: 'joined', name: 'Cleo' }, atMs: 3000 },
      { key: 'last', what: { is: 'locked' }, atMs: 600_000 },
    ],
    outbox: [{ key: 'o', text: 'o', atMs: 0, refusal: null }],
  })
  const told = lines.map((line) => (line.is === 'message' ? [line.key, line.isFirst, line.isOwn] : line.key))
  expect(told).toEqual([
    ['1', true, true],
    ['2', false, true],
    ['3', true, false],
    'n',
    ['4', true, false],
    ['5', true, false],
    'last',
    'o',
  ])
})
