import { expect, it } from 'vitest'
import { createPreviews } from './previews.ts'

const session = {
  id: '9d3f2c50-1d2e-4f3a-8b4c-5d6e7f809112',
  project_id: 'p1',
  status: 'in-progress',
  enable_room_previews: true,
} as const
const previews = createPreviews({ folder: '/previews', key: Buffer.alloc(32, 1) })
const signatureOf = (link: string | null) =>
  new URL(link ?? '', 'https://localhost').searchParams.get('signature') ?? ''

it('links to sessions in progress that have previews', () => {
  expect(previews.link(session)).toMatch(
    /^\/media\/p1\/previews\/9d3f2c50-[0-9a-f-]+\.mp4\?signature=[\w-]{43}$/,
  )
  expect(previews.link({ ...session, status: 'completed' })).toBeNull()
  expect(previews.link({ ...session, enable_room_previews: false })).toBeNull()
})

it('believes its own signatures, for the session they were made for', () => {
  const signature = signatureOf(previews.link(session))
  expect(previews.isGood('p1', session.id, signature)).toBe(true)
  expect(previews.isGood('p2', session.id, signature)).toBe(false)
  expect(previews.isGood('p1', 'another', signature)).toBe(false)
  expect(previews.isGood('p1', session.id, '')).toBe(false)
  const others = createPreviews({ folder: '/previews', key: Buffer.alloc(32, 2) })
  expect(previews.isGood('p1', session.id, signatureOf(others.link(session)))).toBe(false)
})
