import { expect, test } from 'vitest'
import type { MeetingTile } from './meeting-state.ts'
import { type MemberPayload, withMember } from './members.ts'
import { type FocusFacts, focusOf, wishBack } from './stage-focus.ts'

const tile = (memberId: string, width = 50): MeetingTile => ({
  ...{ memberId, x: 0, y: 0, width, height: width },
  live: true,
})
const members = (...list: MemberPayload[]) => list.reduce(withMember, [])

const facts: FocusFacts = {
  tiles: [tile('me'), tile('ada'), tile('grace')],
  members: members({ id: 'me', name: 'Me' }, { id: 'ada', name: 'Ada' }, { id: 'grace', name: 'Grace' }),
  selfId: 'me',
  speaker: null,
  upright: false,
}
const sharing: FocusFacts = {
  ...facts,
  tiles: [...facts.tiles, tile('screen')],
  members: withMember(facts.members, { id: 'screen', name: 'Ada', type: 'screen', parent_id: 'ada' }),
}
const byItself = { is: 'by-itself' } as const
const idOf = (focus: ReturnType<typeof focusOf>) => focus.tile?.memberId ?? null

test('a wide stage shows the whole picture, and a tile on wish', () => {
  expect(idOf(focusOf(byItself, facts))).toBeNull()
  expect(focusOf({ is: 'tile', memberId: 'ada' }, facts)).toEqual({ tile: facts.tiles[1], entire: false })
})

test('the whole picture is back when the chosen tile is gone', () => {
  expect(idOf(focusOf({ is: 'tile', memberId: 'gone' }, facts))).toBeNull()
})

test('an upright stage shows who spoke last, and before that another than oneself', () => {
  const upright = { ...facts, upright: true }
  expect(idOf(focusOf(byItself, upright))).toBe('ada')
  expect(idOf(focusOf(byItself, { ...upright, speaker: 'grace' }))).toBe('grace')
  expect(idOf(focusOf(byItself, { ...upright, speaker: 'gone' }))).toBe('ada')
  expect(idOf(focusOf(byItself, { ...upright, tiles: [tile('me')] }))).toBe('me')
})

test('a small shared screen is shown large without a click, a large one with what is beside it', () => {
  expect(focusOf(byItself, sharing)).toEqual({ tile: sharing.tiles[3], entire: true })
  const large = { ...sharing, tiles: [tile('screen', 100), tile('ada', 16)] }
  expect(idOf(focusOf(byItself, large))).toBeNull()
  expect(idOf(focusOf(byItself, { ...large, upright: true }))).toBe('screen')
})

test('one way back leads to the whole picture, which stays until another screen is shared', () => {
  const whole = wishBack(byItself, sharing)
  expect(idOf(focusOf(whole, sharing))).toBeNull()
  expect(idOf(focusOf(whole, facts))).toBeNull()
  expect(idOf(focusOf(wishBack(byItself, facts), sharing))).toBe('screen')
  expect(idOf(focusOf(wishBack({ is: 'tile', memberId: 'ada' }, facts), facts))).toBeNull()
  expect(idOf(focusOf(wishBack({ is: 'tile', memberId: 'ada' }, sharing), sharing))).toBeNull()
})

test('on an upright stage one goes back from a chosen tile to the speaker, and then to the whole picture', () => {
  const upright = { ...facts, upright: true, speaker: 'grace' }
  const back = wishBack({ is: 'tile', memberId: 'ada' }, upright)
  expect(idOf(focusOf(back, upright))).toBe('grace')
  expect(idOf(focusOf(wishBack(back, upright), upright))).toBeNull()
})
