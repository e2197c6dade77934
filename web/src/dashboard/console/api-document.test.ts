import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { operationsOf, pathOf } from './api-document.ts'

const file = new URL('../../../../docs/openapi.json', import.meta.url)
const operations = operationsOf(JSON.parse(readFileSync(file, 'utf8')))
const find = (id: string) => {
  const found = operations.find((one) => one.id === id)
  if (!found) throw new Error(`there is no ${id}`)
  return found
}

it('finds the operations of the document with their examples', () => {
  expect(operations.length).toBeGreaterThan(60)
  const { body, method, path } = find('createRoom')
  expect([method, path]).toEqual(['POST', '/api/video/rooms'])
  expect(JSON.parse(body ?? '')).toMatchObject({ name: 'standup' })
  expect(find('deleteRoom').body).toBeNull()
  expect(operations.map(({ id }) => id)).not.toContain('createGuestToken')
})

it('fills in a path, so that no value leaves its place', () => {
  expect(pathOf(find('getRoom'), { id: '../x?y', include_active_session: '' })).toBe(
    '/api/video/rooms/..%2Fx%3Fy',
  )
  expect(pathOf(find('listRooms'), { page_size: '5' })).toBe('/api/video/rooms?page_size=5')
})
