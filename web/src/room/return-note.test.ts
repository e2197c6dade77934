import { expect, test } from 'vitest'
import { returnNote } from './return-note.ts'

test('who is back is told what did not come back with them', () => {
  const nothing = { wasRecording: false, wasSharing: false }
  expect(returnNote(nothing, { forAll: true, recording: false })).toEqual({
    title: 'The meeting was interrupted for a moment and goes on',
    hint: '',
  })
  const all = { wasRecording: true, wasSharing: true }
  expect(returnNote(all, { forAll: true, recording: false }).hint).toMatch(/recording ended.*share it again/)
  expect(returnNote(all, { forAll: true, recording: true }).hint).not.toMatch(/recording/)
  expect(returnNote(nothing, { forAll: false, recording: false }).title).toMatch(/^Your connection/)
})
