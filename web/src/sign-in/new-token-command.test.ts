import { expect, test } from 'vitest'
import { newTokenCommand } from './new-token-command.ts'

test('the command has the project that was entered', () => {
  expect(newTokenCommand(' 11111111-2222-4333-8444-555555555555 ')).toBe(
    'npx parley tokens create --project 11111111-2222-4333-8444-555555555555 --scopes all',
  )
})

test.each(['', 'a b', 'x; reboot', '$(reboot)', '`reboot`', '--data-dir', 'x\nreboot', 'x'.repeat(101)])(
  'the command does not repeat %j',
  (entered) => {
    expect(newTokenCommand(entered)).toBe('npx parley tokens create --project <project id> --scopes all')
  },
)
