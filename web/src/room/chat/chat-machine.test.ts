import { describe, expect, test } from 'vitest'
import {
  type ChatMachineEvent,
  type ChatState,
  initialChat,
  nextChat,
  type ReceivedMessage,
} from './chat-machine.ts'

const received = (id: string, atMs: number, more: Partial<ReceivedMessage> = {}): ReceivedMessage => ({
  id,
  memberId: 'grace',
  name: 'Grace',
  text: id,
  atMs,
  key: null,
  ...more,
})
const connected = (list: ReceivedMessage[], earlier?: string | null): ChatMachineEvent => ({
  kind: 'connected',
  selfId: 'ada',
  received: list,
  earlier,
})
const message = (one: ReceivedMessage): ChatMachineEvent => ({ kind: 'message', message: one })

/** The chat after these events, and the keys that were published by them. */
function after(...events: ChatMachineEvent[]): { chat: ChatState; published: string[] } {
  let chat = initialChat
  const published: string[] = []
  for (const event of events) {
    const [next, effects] = nextChat(chat, event)
    chat = next
    published.push(...effects.map(({ key }) => key))
  }
  return { chat, published }
}
const texts = ({ messages }: ChatState) => messages.map(({ text }) => text)

describe('messages', () => {
  test('are in the order of writing, each once, however often and in whatever order they come', () => {
    const { chat } = after(
      message(received('c', 3)),
      connected([received('c', 3), received('b', 2), received('a', 1)], 'before a'),
      message(received('d', 4)),
      { kind: 'lost' },
      connected([received('e', 5), received('d', 4)]),
      { kind: 'earlier', received: [received('a', 1), received('0', 0)], earlier: null },
    )
    expect(texts(chat)).toEqual(['0', 'a', 'b', 'c', 'd', 'e'])
    expect(chat.earlier).toBeNull()
  })

  test('that were there before are not unread; those that came live or while the page was away are', () => {
    const { chat } = after(
      connected([received('a', 1)], null),
      message(received('b', 2)),
      { kind: 'lost' },
      connected([received('c', 3), received('mine', 4, { memberId: 'ada' }), received('b', 2)]),
    )
    expect(chat.unread).toBe(2)
    expect(chat.latest?.text).toBe('c')
    const [open] = nextChat(chat, { kind: 'shown', isOpen: true })
    expect(open.unread).toBe(0)
    expect(nextChat(open, message(received('d', 5)))[0].unread).toBe(0)
  })
})

describe('what a person writes', () => {
  const write = (key: string): ChatMachineEvent => ({ kind: 'write', key, text: key, atMs: 1 })
  const mine = (key: string) => received(`id of ${key}`, 2, { memberId: 'ada', key, text: key })

  test('is under way until the message comes back', () => {
    const { chat, published } = after(connected([], null), write('k'))
    expect(published).toEqual(['k'])
    expect(chat.outbox).toMatchObject([{ key: 'k', refusal: null }])
    const [delivered] = nextChat(chat, message(mine('k')))
    expect(delivered.outbox).toEqual([])
    expect(texts(delivered)).toEqual(['k'])
    expect(delivered.unread).toBe(0)
  })

  test('is sent again after a drop, unless it had arrived: nothing is lost, nothing is doubled', () => {
    const { chat, published } = after(
      connected([], null),
      write('arrived'),
      write('lost'),
      { kind: 'lost' },
      write('written meanwhile'),
      connected([mine('arrived')], null),
    )
    expect(published).toEqual(['arrived', 'lost', 'lost', 'written meanwhile'])
    expect(chat.outbox.map(({ key }) => key)).toEqual(['lost', 'written meanwhile'])
    expect(texts(chat)).toEqual(['arrived'])
  })

  test('is kept where it was refused, is not sent by itself again, and can be taken back', () => {
    const refused: ChatMachineEvent = { kind: 'refused', key: 'k', why: 'chat.refused-length' }
    const { chat, published } = after(
      connected([], null),
      write('k'),
      refused,
      { kind: 'lost' },
      connected([], null),
    )
    expect(chat.outbox).toMatchObject([{ text: 'k', refusal: 'chat.refused-length' }])
    expect(published).toEqual(['k'])
    expect(nextChat(chat, { kind: 'drop', key: 'k' })[0].outbox).toEqual([])
  })
})

test('what happened in the room is kept for as many lines as one reads', () => {
  const note = (count: number): ChatMachineEvent => ({
    kind: 'note',
    note: { key: String(count), what: { is: 'joined', name: String(count) }, atMs: count },
  })
  const { chat } = after(...Array.from({ length: 250 }, (_, count) => note(count)))
  expect(chat.notes).toHaveLength(200)
  expect(chat.notes.at(-1)?.key).toBe('249')
})
