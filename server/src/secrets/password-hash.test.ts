import { expect, it } from 'vitest'
import { createPasswordHashes, PasswordsBusy } from './password-hash.ts'

it('knows its password again, and no other', async () => {
  const passwords = createPasswordHashes()
  const hash = await passwords.make('four words nobody has')
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  expect(await passwords.make('four words nobody has')).not.toBe(hash)
  expect(await passwords.matches('four words nobody has', hash)).toBe(true)
  expect(await passwords.matches('four words nobody hat', hash)).toBe(false)
  expect(await passwords.matches('four words nobody has', null)).toBe(false)
})

it('does the same work when there is no hash', async () => {
  const passwords = createPasswordHashes()
  const hash = await passwords.make('four words nobody has')
  // The least of several: other work on the machine makes some dearer, and none cheaper.
  const cost = async (known: string | null) => {
    const before = process.cpuUsage()
    await passwords.matches('a wrong guess', known)
    const { user, system } = process.cpuUsage(before)
    return user + system
  }
  const least = { known: Infinity, unknown: Infinity }
  for (let i = 0; i < 9; i++) {
    least.known = Math.min(least.known, await cost(hash))
    least.unknown = Math.min(least.unknown, await cost(null))
  }
  const ratio = least.unknown / least.known
  expect(ratio).toBeGreaterThan(0.5)
  expect(ratio).toBeLessThan(2)
})

it('takes few at a time of 10,000, refuses the rest at once, and keeps the event loop free', async () => {
  const passwords = createPasswordHashes()
  const before = process.memoryUsage.rss()
  let turns = 0
  const turning = setInterval(() => turns++, 5)
  const outcomes = await Promise.allSettled(
    Array.from({ length: 10_000 }, () => passwords.matches('a guess', null)),
  )
  clearInterval(turning)
  const refused = outcomes.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[]
  expect(outcomes.length - refused.length).toBe(66)
  expect(refused.every(({ reason }) => reason instanceof PasswordsBusy)).toBe(true)
  expect((process.memoryUsage.rss() - before) / 2 ** 20).toBeLessThan(150)
  expect(turns).toBeGreaterThan(20)
  // It goes on afterwards.
  expect(await passwords.matches('a guess', null)).toBe(false)
})
