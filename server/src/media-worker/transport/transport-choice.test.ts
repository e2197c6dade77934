import { expect, test } from 'vitest'
import { chooseTransport } from './transport-choice.ts'

test('what is asked for serves where it can, else libdatachannel with a reason', async () => {
  expect(await chooseTransport('libdatachannel')).toEqual({ transport: 'libdatachannel', obstacle: null })
  const choice = await chooseTransport('openssl')
  const isLinux = process.platform === 'linux'
  expect(choice.transport).toBe(isLinux ? 'openssl' : 'libdatachannel')
  if (isLinux) expect(choice.obstacle).toBeNull()
  else expect(choice.obstacle).toContain('Linux')
})
