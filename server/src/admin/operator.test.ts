import { userInfo } from 'node:os'
import { expect, it } from 'vitest'
import { operator } from './operator.ts'

it('is the OS user, with who took its place by sudo', () => {
  const { username } = userInfo()
  expect(operator({})).toEqual({ kind: 'os-user', name: username })
  expect(operator({ SUDO_USER: username })).toEqual({ kind: 'os-user', name: username })
  expect(operator({ SUDO_USER: 'ada' })).toEqual({ kind: 'os-user', name: `${username} (sudo by ada)` })
})
