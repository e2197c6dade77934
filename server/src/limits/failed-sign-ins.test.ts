import { beforeEach, describe, expect, test } from 'vitest'
import { systemClock } from '../clock.ts'
import { testCluster } from '../testing/test-cluster.ts'
import { CountExchange } from './count-exchange.ts'
import { FailedSignIns, TooManyFailedSignIns } from './failed-sign-ins.ts'
import { LimitLog } from './limit-log.ts'

const HERE = '192.0.2.1'
let nowMs = 0
let lines: unknown[] = []
let signIns: FailedSignIns

beforeEach(() => {
  nowMs = 1000
  lines = []
  const log = new LimitLog({ warn: (line: unknown) => lines.push(line) }, () => nowMs)
  signIns = new FailedSignIns(3, log, new CountExchange(testCluster(), systemClock), () => nowMs)
})

/** @throws TooManyFailedSignIns synchronously */
const guess = (credentials: string, address = HERE): Promise<string | undefined> =>
  signIns.lookUp(address, credentials, async () => (credentials === 'good' ? 'Ada' : undefined))

/** Makes a hundred guesses at the same time. @returns the number of guesses that were looked up */
function exhaust(): number {
  const refused = Array.from({ length: 100 }, (_, i) => {
    try {
      void guess(`guess ${nowMs}.${i}`)
      return 0
    } catch (error) {
      if (error instanceof TooManyFailedSignIns) return 1
      throw error
    }
  })
  return refused.filter((count) => count === 0).length
}

describe('failed sign-ins', () => {
  test('bound the guesses that are looked up, also when they come at once', () => {
    expect(exhaust()).toBe(3 + 20)
    nowMs += 1000
    expect(exhaust()).toBe(10)
  })

  test('keep no other address out', async () => {
    exhaust()
    expect(await guess('wrong', '192.0.2.2')).toBeUndefined()
  })

  test('keep out nobody whose credentials were good before', async () => {
    expect(await guess('good')).toBe('Ada')
    exhaust()
    for (let i = 0; i < 50; i++) expect(await guess('good')).toBe('Ada')
  })

  test('let good credentials that come for the first time in as soon as there is a look-up for them', async () => {
    exhaust()
    nowMs += 100
    expect(await guess('good')).toBe('Ada')
  })

  test('spend no look-up on a guess that was wrong a moment ago', async () => {
    for (let i = 0; i < 3; i++) await guess('wrong')
    for (let i = 0; i < 100; i++) expect(() => guess('wrong')).toThrow(TooManyFailedSignIns)
    expect(await guess('good')).toBe('Ada')
  })

  test('do not count what was good, nor what could not be looked up', async () => {
    const failing = () => signIns.lookUp(HERE, 'any', () => Promise.reject(new Error('no database')))
    for (let i = 0; i < 30; i++) {
      await guess('good')
      await expect(failing()).rejects.toThrow('no database')
    }
    expect(await guess('a')).toBeUndefined()
    expect(await guess('b')).toBeUndefined()
    signIns.countWrong(HERE)
    expect(() => signIns.countWrong(HERE)).toThrow(TooManyFailedSignIns)
  })

  test('remember a token that was revoked as a wrong one', async () => {
    await guess('good')
    await signIns.lookUp(HERE, 'good', async () => undefined)
    expect(exhaust()).toBe(2 + 20)
    expect(() => signIns.lookUp(HERE, 'good', async () => 'Ada')).toThrow(TooManyFailedSignIns)
  })

  test('are forgotten after a minute', () => {
    exhaust()
    nowMs += 60_000
    expect(exhaust()).toBe(3 + 20)
  })

  test('stand in the log once in a minute', () => {
    exhaust()
    exhaust()
    expect(lines).toEqual([{ option: 'PARLEY_FAILED_SIGN_INS_PER_MINUTE', address: HERE }])
    nowMs += 60_000
    exhaust()
    expect(lines).toHaveLength(2)
    expect(lines[1]).toMatchObject({ timesBefore: expect.any(Number) })
  })
})
