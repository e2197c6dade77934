import fc from 'fast-check'
import { expect, test } from 'vitest'
import { MessageReader, newMessage } from './message-reader.ts'

const message = ({ type, body }: { type: number; body: Uint8Array }) => {
  const { message, at } = newMessage(type, body.length)
  message.set(body, at)
  return message
}

test('messages are the same however the bytes are cut', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ type: fc.nat(255), body: fc.uint8Array({ maxLength: 40 }) })),
      fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1 }),
      (messages, cuts) => {
        const bytes = Buffer.concat(messages.map(message))
        const reader = new MessageReader(40)
        const got: { type: number; body: Uint8Array }[] = []
        for (let at = 0, cut = 0; at < bytes.length; cut++) {
          const length = cuts[cut % cuts.length]!
          reader.push(bytes.subarray(at, at + length), (type, body) => {
            got.push({ type, body: Uint8Array.from(body) })
            return true
          })
          at += length
        }
        expect(got).toEqual(messages)
      },
    ),
  )
})

test('a message that is too long, or has no type, is refused before it is here', () => {
  for (const head of ['00000a00', '00000000', 'ffffffff']) {
    const reader = new MessageReader(40)
    const bytes = Buffer.from(`${head}00`, 'hex')
    expect(() => reader.push(bytes, () => true), head).toThrow(RangeError)
  }
})

test('nothing is read after the taker is done', () => {
  const reader = new MessageReader(40)
  const two = Buffer.concat([1, 2].map((type) => message({ type, body: new Uint8Array(1) })))
  const types: number[] = []
  reader.push(two, (type) => types.push(type) < 1)
  expect(types).toEqual([1])
})
