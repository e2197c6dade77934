import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isUuid, newId } from '../ids.ts'
import { expiryOfRoomTokenId, newRoomTokenId } from './room-token-id.ts'

const key = randomBytes(64)
const project = newId()

describe('the id of a room token', () => {
  test('is a UUID of version 8 that tells its project when it expires', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 253402300800 }), fc.string(), (seconds, projectId) => {
        const id = newRoomTokenId(projectId, seconds * 1000, key)
        expect(isUuid(id)).toBe(true)
        expect(id).toMatch(/^.{14}8.{4}[89ab]/)
        expect(expiryOfRoomTokenId(id, projectId, key)).toBe(seconds * 1000)
        expect(expiryOfRoomTokenId(id.toUpperCase(), projectId, key)).toBe(seconds * 1000)
      }),
    )
  })

  test('says nothing to another project, with another key, or when it is made up', () => {
    const id = newRoomTokenId(project, Date.now(), key)
    expect(expiryOfRoomTokenId(id, newId(), key)).toBeNull()
    expect(expiryOfRoomTokenId(id, project, randomBytes(64))).toBeNull()
    for (const other of [newId(), id.slice(0, -1), '', `${id}0`, id.replace(/.$/, 'g')]) {
      expect(expiryOfRoomTokenId(other, project, key)).toBeNull()
    }
  })

  test('cannot have any of its digits changed', () => {
    const id = newRoomTokenId(project, Date.now(), key)
    for (let at = 0; at < id.length; at++) {
      if (id[at] === '-') continue
      const changed = id.slice(0, at) + (id[at] === '0' ? '1' : '0') + id.slice(at + 1)
      // The bits of version and variant are fixed. Besides them, one change in 2^26 is not detected.
      expect(expiryOfRoomTokenId(changed, project, key)).toBeNull()
    }
  })

  test('is another one each time', () => {
    const ids = Array.from({ length: 2000 }, () => newRoomTokenId(project, 0, key))
    expect(new Set(ids).size).toBe(ids.length)
  })
})
