import { Type } from 'typebox'
import { expect, it } from 'vitest'
import { Optional, Uuid } from '../../resources/building-blocks.ts'
import { withLowerCaseIds } from './lower-case-ids.ts'

const ID = '9D3F2C50-1F6E-4C57-8A53-0C8F1C2B6E11'
const id = ID.toLowerCase()
const uuid = Uuid({ description: 'An id.' })
const schema = Type.Object({
  id: uuid,
  parent: Optional(uuid),
  others: Type.Optional(Type.Array(uuid)),
  name: Type.String(),
})
const read = withLowerCaseIds(schema)

it('writes ids and lists of ids in lower case', () => {
  expect(read({ id: ID, parent: ID, others: [ID, id], name: 'A' })).toEqual({
    id,
    parent: id,
    others: [id, id],
    name: 'A',
  })
})

it('leaves text alone that only looks like an id', () => {
  expect(read({ id, name: ID })).toEqual({ id, name: ID })
})

it('leaves fields out that are absent, and keeps null', () => {
  expect(Object.keys(read({ id, parent: null, name: 'A' }) as object)).toEqual(['id', 'parent', 'name'])
  expect(read({ id, parent: null, name: 'A' })).toMatchObject({ parent: null })
})

it('does not change the object that it is given', () => {
  const given = { id: ID, name: 'A' }
  read(given)
  expect(given.id).toBe(ID)
})

it('reads what has no schema as it is', () => {
  const given = { id: ID }
  expect(withLowerCaseIds(undefined)(given)).toBe(given)
})
