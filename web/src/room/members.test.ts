import { expect, test } from 'vitest'
import { handsFirst, peopleOf, raisedHands, withMember, withoutMember } from './members.ts'

const ada = { id: 'm-1', name: 'Ada', type: 'member', parent_id: '', audio_muted: false, video_muted: false }
const screen = { id: 'm-2', name: 'Ada', type: 'screen', parent_id: 'm-1' }

test('a part of a change leaves the rest as it was', () => {
  const list = withMember(withMember([], ada), { id: 'm-1', audio_muted: true })
  expect(list).toEqual([
    {
      id: 'm-1',
      name: 'Ada',
      type: 'member',
      parentId: null,
      audioMuted: true,
      videoMuted: false,
      talking: false,
      inputVolume: 0,
      handRaised: false,
      handRaisedAtMs: null,
      requestedPosition: 'auto',
    },
  ])
  expect(withMember(list, { id: 'm-1', talking: true })[0]).toMatchObject({ audioMuted: true, talking: true })
})

test('a part of somebody unknown adds nobody', () => {
  expect(withMember([], { id: 'm-9', talking: true })).toEqual([])
})

test('screens are no people and go with their owner', () => {
  const list = withMember(withMember([], ada), screen)
  expect(peopleOf(list).map((member) => member.id)).toEqual(['m-1'])
  expect(withoutMember(list, 'm-2').map((member) => member.id)).toEqual(['m-1'])
  expect(withoutMember(list, 'm-1')).toEqual([])
})

test('raised hands come first, in the order in which they were raised', () => {
  const named = (id: string, handraised: boolean) => ({ id, name: id, handraised })
  const list = [named('a', true), named('b', false), named('c', true)].reduce(withMember, [])
  expect(raisedHands([], list)).toEqual(['a', 'c'])
  expect(raisedHands(['c', 'b'], list)).toEqual(['c', 'a'])
  expect(handsFirst(list, ['c', 'a', 'gone']).map(({ id }) => id)).toEqual(['c', 'a', 'b'])
  const later = withMember(list, { id: 'a', handraised_at: 9 })
  expect(raisedHands(['a'], withMember(later, { id: 'c', handraised_at: 8 }))).toEqual(['c', 'a'])
  const same = ['a', 'c']
  expect(raisedHands(same, list)).toBe(same)
})
