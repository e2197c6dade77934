import { afterEach, beforeEach, expect, test } from 'vitest'
import { SessionWorld, Witness } from '../../testing/simulation/session-world.ts'

let world: SessionWorld
beforeEach(async () => {
  world = await SessionWorld.open()
})
afterEach(() => world.close())

test('while it is emptied no session begins, and those that run go on', async () => {
  const join = (name: string, room_name: string) => world.join(new Witness(name), { room_name })
  const { session } = await join('Ada', 'standup')
  world.registry.isDraining = true
  await expect(join('Bob', 'other')).rejects.toMatchObject({ code: 'unavailable' })
  expect(await world.storage.rooms.findByName(world.projectId, 'other')).toBeUndefined()
  expect((await join('Carol', 'standup')).session).toBe(session)
  world.registry.isDraining = false
  expect((await join('Bob', 'other')).session.name).toBe('other')
})
