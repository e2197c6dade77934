import { expect, test } from 'vitest'
import { type LayoutName, LIVE_LAYOUTS } from '../../server/src/resources/layout-names.ts'
import { nameOfColour, type Persona } from '../testing/colours.ts'
import { eventually } from '../testing/eventually.ts'
import type { Participant } from '../testing/participant.ts'
import type { Layer, LayoutChanged, PublishedClient } from '../testing/published-client.ts'
import { middleOf } from '../testing/seen-and-heard.ts'
import { BLUE, GREEN, RED, useDeployment } from '../testing/use-deployment.ts'

const deployment = useDeployment({ name: 'layouts' })

/** Positions of three members, in the order of joining. Who has none is off the canvas. */
const POSITIONS: Partial<Record<LayoutName, string[]>> = {
  '1x1': ['standard-1'],
  '2x1': ['standard-1', 'standard-2'],
  'highlight-1-responsive': ['reserved-1', 'standard-1', 'standard-2'],
  'full-screen': ['reserved-1'],
  'screen-share': ['reserved-1', 'reserved-2', 'reserved-3'],
  'presenter-dual-horizontal': ['reserved-1', 'standard-1'],
}
const USUAL = ['standard-1', 'standard-2', 'standard-3']

const PERSONAS = [RED, GREEN, BLUE]

/** Three members with these permissions. They say nothing, because a speaker takes places. */
async function enterThree(permissions: string[]): Promise<Participant[]> {
  const room_name = deployment.roomName()
  const members: Participant[] = []
  for (const persona of PERSONAS)
    members.push(await deployment.enter(persona, { room_name, join_audio_muted: true, permissions }))
  return members
}

/** Waits until a member has this layout, with these positions, and sees each one's colour in its visible tile. */
async function seesPositions(
  viewer: PublishedClient,
  name: string,
  expected: ReadonlyMap<string, { position: string; persona: Persona }>,
): Promise<Layer[]> {
  const newest = () => (viewer.events.last('layout.changed')?.params as LayoutChanged | undefined)?.layout
  const wanted = [...expected].map(([id, { position }]) => `${id} ${position}`).toSorted()
  await eventually(
    `${viewer.name}: the layout ${name}`,
    async () => [
      newest()?.name,
      ...viewer
        .tiles()
        .map((tile) => `${tile.member_id} ${tile.position}`)
        .toSorted(),
    ],
    (seen) => seen.join() === [name, ...wanted].join(),
  )
  const tiles = viewer.tiles().filter(({ visible }) => visible)
  const names = tiles.map(({ member_id }) => expected.get(member_id ?? '')?.persona.name)
  await eventually(
    `${viewer.name} sees ${names.join(', ')} in ${name}`,
    async () => (await viewer.coloursAt(tiles.map(middleOf))).map((colour) => colour && nameOfColour(colour)),
    (seen) => seen.join() === names.join(),
  )
  return tiles
}

test('each layout shows each member in its place, and each position does what it says', {
  timeout: 240_000,
}, async () => {
  const members = await enterThree(['room.set_layout', 'room.set_position', 'room.member.set_position'])
  const [red, green, blue] = members as [Participant, Participant, Participant]
  const at = (positions: readonly string[]) =>
    new Map(
      positions.flatMap((position, index) => {
        const [member, persona] = [members[index], PERSONAS[index]]
        return member && persona && position !== '' ? [[member.memberId, { position, persona }] as const] : []
      }),
    )
  for (const name of LIVE_LAYOUTS) {
    await red.call('setLayout', { name })
    await seesPositions(blue, name, at(POSITIONS[name] ?? USUAL))
  }

  await red.call('setLayout', { name: '1up-top-left5', positions: { [blue.memberId]: 'reserved-1' } })
  await seesPositions(blue, '1up-top-left5', at(['standard-1', 'standard-2', 'reserved-1']))
  await red.call('setMemberPosition', { memberId: green.memberId, position: 'full-screen' })
  const covered = await seesPositions(blue, '1up-top-left5', at(['standard-1', 'full-screen', 'reserved-1']))
  expect(covered).toHaveLength(1)
  const everywhere = [5, 45, 85].map((x) => ({ x, y: 20, width: 10, height: 20 }))
  const colours = await blue.coloursAt(everywhere)
  expect(colours.map((colour) => colour && nameOfColour(colour))).toEqual(['Green', 'Green', 'Green'])
  await red.call('setPositions', {
    positions: { [green.memberId]: 'off-canvas', [red.memberId]: 'reserved-1' },
  })
  await seesPositions(blue, '1up-top-left5', at(['reserved-1', '', 'standard-1']))
  const { members: listed } = await blue.call<{ members: Record<string, unknown>[] }>('getMembers')
  expect(listed.map((one) => [one.requested_position, one.current_position, one.visible])).toEqual([
    ['reserved-1', 'reserved-1', true],
    ['off-canvas', 'off-canvas', false],
    ['auto', 'standard-1', true],
  ])
})

test('without permission nobody changes layout or positions', async () => {
  const room_name = deployment.roomName()
  const red = await deployment.enter(RED, { room_name, permissions: ['room.set_layout'] })
  const green = await deployment.enter(GREEN, { room_name, permissions: ['room.self.audio_mute'] })
  await green.layoutOf([red.memberId, green.memberId])
  const since = green.events.mark()
  const positions = { [red.memberId]: 'standard-1' }
  const others = { memberId: red.memberId, position: 'off-canvas' }
  const calls = [
    () => red.call('setLayout', { name: '2x2', positions }),
    () => green.call('setLayout', { name: '2x2' }),
    () => green.call('setPositions', { positions }),
    () => green.call('setMemberPosition', others),
    () => green.call('setMemberPosition', { position: 'off-canvas' }),
  ]
  for (const call of calls) expect((await green.refusalOf(call())).code).toBe('403')
  await green.moreFrames(5)
  expect(green.events.all('layout.changed', since)).toEqual([])
})
