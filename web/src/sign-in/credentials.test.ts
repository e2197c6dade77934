import { expect, test } from 'vitest'
import { credentialsInFragment } from './credentials.ts'

test('a link carries both parts or none', () => {
  const link = new URLSearchParams({ project: 'p-1', token: 'a+b/c=&d' })
  expect(credentialsInFragment(`#${link}`)).toEqual({ projectId: 'p-1', apiToken: 'a+b/c=&d' })
  expect(credentialsInFragment('project=p-1&token=t')).toEqual({ projectId: 'p-1', apiToken: 't' })
  for (const fragment of ['', '#', '#/rooms/project', '#project=p-1', '#token=t', '#project=&token=t']) {
    expect(credentialsInFragment(fragment)).toBeNull()
  }
})
