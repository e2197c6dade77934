import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import type { Timer } from '../../clock.ts'
import { ROOM_TOKEN_DEFAULTS, type RoomTokenClaims } from '../room-token.ts'
import { isGoodPass, newPass } from './waiting-pass.ts'
import { WaitingRooms } from './waiting-rooms.ts'

const key = randomBytes(64)
const claims: RoomTokenClaims = {
  ...ROOM_TOKEN_DEFAULTS,
  id: 'token',
  project_id: 'p',
  room_name: 'hall',
  issued_at: 0,
  expires_at: Number.POSITIVE_INFINITY,
}

/** A clock that is moved by hand. */
function handClock() {
  let now = 1_000_000
  const waiting = new Set<{ at: number; callback: () => void }>()
  return {
    now: () => now,
    monotonicMs: () => now,
    after(delayMs: number, callback: () => void): Timer {
      const timer = { at: now + delayMs, callback }
      waiting.add(timer)
      return { cancel: () => waiting.delete(timer) }
    },
    pass(ms: number) {
      now += ms
      for (const timer of [...waiting].filter(({ at }) => at <= now)) {
        waiting.delete(timer)
        timer.callback()
      }
    },
  }
}

it('forgets whoever has not asked for 15 s, and tells who looks', async () => {
  const clock = handClock()
  const rooms = new WaitingRooms({ clock, key })
  const id = rooms.knock(claims, 'Grace')
  const { version, knocks } = await rooms.list(claims, 0)
  expect(knocks).toHaveLength(1)
  const told = rooms.list(claims, version)
  clock.pass(15_000)
  expect((await told).knocks).toEqual([])
  expect(await rooms.answerTo(claims, id)).toBeUndefined()
})

it('waits with whoever asks, and answers after 20 s at the latest', async () => {
  const clock = handClock()
  const rooms = new WaitingRooms({ clock, key })
  const id = rooms.knock(claims, 'Grace')
  const { version } = await rooms.list(claims, 0)
  const [answer, told] = [rooms.answerTo(claims, id), rooms.list(claims, version)]
  clock.pass(20_000)
  expect(await answer).toEqual({ state: 'waiting' })
  expect((await told).version).toBe(version)
  expect((await rooms.list(claims, 0)).knocks).toHaveLength(1)
})

it('keeps the answer for a minute, for a page that was away', async () => {
  const clock = handClock()
  const rooms = new WaitingRooms({ clock, key })
  const id = rooms.knock(claims, 'Grace')
  rooms.decide(claims, id, true)
  clock.pass(50_000)
  expect(await rooms.answerTo(claims, id)).toMatchObject({ state: 'let-in' })
  clock.pass(60_000)
  expect(await rooms.answerTo(claims, id)).toBeUndefined()
})

it('lets nobody wait for a server that stops', async () => {
  const rooms = new WaitingRooms({ clock: handClock(), key })
  const id = rooms.knock(claims, 'Grace')
  const answer = rooms.answerTo(claims, id)
  rooms.stop()
  expect(await answer).toEqual({ state: 'waiting' })
  expect(await rooms.answerTo(claims, id)).toEqual({ state: 'waiting' })
})

it('gives a pass for this token and this room, for twelve hours', () => {
  const pass = newPass(claims, key, 0)
  const hours = (count: number) => count * 3_600_000
  expect(isGoodPass(pass, claims, key, hours(11.9))).toBe(true)
  expect(isGoodPass(pass, claims, key, hours(12))).toBe(false)
  expect(isGoodPass(pass, { ...claims, room_name: 'other' }, key, 0)).toBe(false)
  expect(isGoodPass(pass, { ...claims, project_id: 'other' }, key, 0)).toBe(false)
  expect(isGoodPass(pass, { ...claims, id: 'other' }, key, 0)).toBe(false)
  expect(isGoodPass(pass, claims, randomBytes(64), 0)).toBe(false)
  const [end = '', signature = ''] = pass.split(':')
  const later = (Number.parseInt(end, 36) + 1).toString(36)
  for (const forged of ['', ':', end, `${later}:${signature}`, `zzzz:${signature}`, `${pass}x`, 'ünï:cödé']) {
    expect(isGoodPass(forged, claims, key, 0)).toBe(false)
  }
})
