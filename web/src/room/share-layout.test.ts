import { expect, test } from 'vitest'
import { withMember } from './members.ts'
import { shareLayout } from './share-layout.ts'

const people = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ id: `${index}`, name: `${index}` })).reduce(withMember, [])
const all = ['room.set_layout', 'room.set_position']

test('a shared screen has the whole picture, and in a crowd the large tile', () => {
  expect(shareLayout({ permissions: all, members: people(2) })).toEqual({ layout: 'screen-share' })
  expect(shareLayout({ permissions: all, members: people(6) })).toEqual({
    layout: 'highlight-1-responsive',
    positions: { self: 'reserved-1' },
  })
})

test('nothing is asked for that the member may not do', () => {
  expect(shareLayout({ permissions: [], members: people(2) })).toEqual({})
  expect(shareLayout({ permissions: ['room.set_layout'], members: people(6) })).toEqual({
    layout: 'highlight-1-responsive',
  })
})

test('a screen that is shared already is no person', () => {
  const members = withMember(people(5), { id: 'screen', name: 'S', type: 'screen', parent_id: '0' })
  expect(shareLayout({ permissions: all, members })).toEqual({ layout: 'screen-share' })
})
