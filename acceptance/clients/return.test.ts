import { expect, test } from 'vitest'
import { eventually } from '../testing/eventually.ts'
import type { MemberEvent } from '../testing/published-client.ts'
import { seatsOf, seesEachInItsTile } from '../testing/seen-and-heard.ts'
import { GREEN, RED, useDeployment } from '../testing/use-deployment.ts'

const deployment = useDeployment({
  name: 'return',
  env: { PARLEY_RECONNECT_GRACE_SECONDS: '4', PARLEY_SESSION_GRACE_SECONDS: '1' },
})

test('a page that is open while the server is killed and started is told that its call is over', async () => {
  const room_name = deployment.roomName()
  const red = await deployment.enter(RED, { room_name })
  const green = await deployment.enter(GREEN, { room_name })
  await red.moreFrames(3)
  await deployment.killAndLaunch()
  // One page stays open, the other is reloaded.
  await green.reload()
  // The client waits some seconds before it connects again. Then the server waits 12 s for a page that was reloaded.
  await red.events.waitFor('room.left', { timeoutMs: 40_000 })
  await red.reload()
  for (const each of [red, green]) await each.join(each.token)
  await seesEachInItsTile(
    green,
    seatsOf([
      [red, RED],
      [green, GREEN],
    ]),
  )
  await red.leave()
})

test('a page that is loaded anew after its seat is gone takes a new one', async () => {
  const room_name = deployment.roomName()
  const green = await deployment.enter(GREEN, { room_name })
  const red = await deployment.enter(RED, { room_name })
  const { memberId } = red
  await red.page.goto('about:blank')
  await green.events.waitFor<MemberEvent>('member.left', {
    right: ({ member }) => member.id === memberId,
    timeoutMs: 10_000,
  })
  await red.page.goBack()
  await red.page.waitForFunction(() => 'participant' in window && 'SignalWire' in window)
  await red.join(red.token)
  expect(red.memberId).not.toBe(memberId)
  await seesEachInItsTile(
    red,
    seatsOf([
      [red, RED],
      [green, GREEN],
    ]),
  )
})

test('a tab that was duplicated takes the seat, and the elder tab is told', async () => {
  const room_name = deployment.roomName()
  const red = await deployment.enter(RED, { room_name })
  const green = await deployment.enter(GREEN, { room_name })
  await red.moreFrames(3)
  const [tab] = await Promise.all([
    red.page.context().waitForEvent('page'),
    red.page.evaluate(() => void window.open(location.href)),
  ])
  await tab.exposeBinding('report', () => {})
  await tab.waitForFunction(() => 'participant' in window && 'SignalWire' in window)
  const outcome = await tab.evaluate((token) => window.participant.join(token), red.token)
  expect(outcome).toMatchObject({ ok: true, value: { memberId: red.memberId } })
  await red.events.waitFor('room.left')
  await eventually(
    'frames in the younger tab',
    () => tab.evaluate(() => window.participant.receivedVideo()),
    (stats) => (stats?.framesDecoded ?? 0) > 5,
  )
  await seesEachInItsTile(
    green,
    seatsOf([
      [red, RED],
      [green, GREEN],
    ]),
  )
  expect(green.events.all('member.left', 0)).toEqual([])
  await tab.close()
})
