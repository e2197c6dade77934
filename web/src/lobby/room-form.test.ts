import fc from 'fast-check'
import { expect, test } from 'vitest'
import { newRoomFrom, roomNameFrom, titleProblem } from './room-form.ts'

test('a title becomes a name that the API takes', () => {
  expect(roomNameFrom('Team stand-up')).toBe('team-stand-up')
  expect(roomNameFrom('  Café Zürich! ')).toBe('cafe-zurich')
  expect(roomNameFrom('Board_Room-1')).toBe('Board_Room-1')
  expect(roomNameFrom('会議')).toBe('')
})

test('whatever the title, the name fits the pattern and the length, or the form says what is wrong', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (title) => {
      if (titleProblem(title) === null) expect(roomNameFrom(title)).toMatch(/^[A-Za-z0-9_-]{1,100}$/)
    }),
  )
})

test('problems are named', () => {
  expect(titleProblem('   ')).toMatch(/Give/)
  expect(titleProblem('会議')).toMatch(/letter/)
  expect(titleProblem('x'.repeat(201))).toMatch(/200/)
  expect(titleProblem('Daily')).toBeNull()
})

test('the title is sent only where it says more than the name', () => {
  const options = { quality: '1080p', recordOnStart: true } as const
  expect(newRoomFrom({ title: 'daily', ...options })).toEqual({
    name: 'daily',
    quality: '1080p',
    record_on_start: true,
  })
  expect(newRoomFrom({ title: 'Daily chat', ...options })).toMatchObject({
    name: 'daily-chat',
    display_name: 'Daily chat',
  })
})
