import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../ids.ts'
import type { RelayClient } from '../testing/relay/relay-client.ts'
import { RunningRelay } from '../testing/relay/running-relay.ts'
import { sampleOffer } from '../testing/relay/sample-offer.ts'
import { outgoingEvent } from './json-rpc.ts'
import { UnacknowledgedEvents } from './unacknowledged-events.ts'

let relay: RunningRelay
beforeAll(async () => {
  relay = await RunningRelay.open()
})
afterAll(() => relay.close())

/** From now on the client reads and acknowledges nothing, and the server does not notice. */
const silence = (client: RelayClient) => client.socket.removeAllListeners('message')

async function chatClient(channel: string, fields: object = {}) {
  const token = await relay.chatToken({ [channel]: 'rw' }, fields)
  const client = await relay.connectWith(token)
  const again = () => relay.connectWith(token, { protocol: client.session.protocol })
  return Object.assign(client, { again })
}

const subscribe = (client: RelayClient, name: string) =>
  client.request('chat.subscribe', { channels: [{ name }], events: ['chat.message'] })
const publish = (client: RelayClient, channel: string, content: unknown) =>
  client.request('chat.publish', { channel, content })
const contentsTo = (client: RelayClient) =>
  client.events.flatMap(({ type, params }) =>
    type === 'chat.channel.message' ? [(params.message as { content: unknown }).content] : [],
  )
const isMessage = (content: unknown) => ({
  right: ({ message }: Record<string, unknown>) => (message as { content: unknown }).content === content,
})

describe('a socket that fails without a word', () => {
  test('loses no chat message: each comes once, in order', async () => {
    const channel = `c-${newId()}`
    const [ada, bob] = [await chatClient(channel), await chatClient(channel, { member_id: 'bob' })]
    await subscribe(ada, channel)
    await publish(bob, channel, 'before')
    await ada.event('chat.channel.message')
    await ada.roundTrip()
    silence(ada)
    const swallowed = Array.from({ length: 10 }, (_, index) => `message ${index}`)
    for (const content of swallowed) await publish(bob, channel, content)
    ada.drop()
    const again = await ada.again()
    await again.event('chat.channel.message', isMessage('message 9'))
    await publish(bob, channel, 'after')
    await again.event('chat.channel.message', isMessage('after'))
    expect(contentsTo(again)).toEqual([...swallowed, 'after'])
    expect(contentsTo(ada)).toEqual(['before'])
  })

  test('loses no event of the room', async () => {
    const { name: room_name } = await relay.addRoom({ name: `room ${newId()}` })
    const red = await relay.connect({ room_name, id: newId() })
    const token = await relay.token({ room_name })
    const blue = await relay.connectWith(token)
    await red.join()
    await blue.join()
    const state = blue.events.findLast(({ type }) => type === 'signalwire.authorization.state')?.params
    await blue.roundTrip()
    silence(blue)
    const green = await relay.enter({ room_name })
    await green.verto('verto.bye', { dialogParams: { callID: green.call.callID } })
    await red.event('video.member.left')
    blue.drop()
    const again = await relay.connectWith(token, { protocol: blue.session.protocol, ...state })
    await again.event('video.member.left')
    const types = again.events.map(({ type }) => type)
    expect(types.indexOf('video.member.joined')).toBeLessThan(types.indexOf('video.member.left'))
    expect(types).not.toContain('video.room.subscribed')
  })

  test('does not lose the answer to a call', async () => {
    const { name: room_name } = await relay.addRoom({ name: `room ${newId()}` })
    const red = await relay.enter({ room_name })
    const token = await relay.token({ room_name })
    const blue = await relay.connectWith(token)
    silence(blue)
    const [callID, before] = [newId(), red.events.length]
    const invite = { method: 'verto.invite', params: { dialogParams: { callID }, sdp: sampleOffer() } }
    const params = { message: { jsonrpc: '2.0', id: newId(), ...invite } }
    blue.sendRaw(JSON.stringify({ jsonrpc: '2.0', id: newId(), method: 'video.message', params }))
    await red.event('video.member.joined', { since: before })
    blue.drop()
    const again = await relay.connectWith(token, { protocol: blue.session.protocol })
    expect(await again.vertoEvent('verto.answer')).toMatchObject({ params: { callID } })
    expect(await again.event('video.room.subscribed')).toMatchObject({ call_id: callID })
  })

  test('does not bring the calls of a page that was left to the next one', async () => {
    const { name: room_name } = await relay.addRoom({ name: `room ${newId()}` })
    const token = await relay.token({ room_name })
    const blue = await relay.connectWith(token)
    silence(blue)
    const dialogParams = { callID: newId() }
    const message = {
      jsonrpc: '2.0',
      id: newId(),
      method: 'verto.invite',
      params: { dialogParams, sdp: sampleOffer() },
    }
    blue.sendRaw(
      JSON.stringify({ jsonrpc: '2.0', id: newId(), method: 'video.message', params: { message } }),
    )
    await expect
      .poll(() =>
        relay.registry.sessions.some(({ name, members }) => name === room_name && members.length > 0),
      )
      .toBe(true)
    blue.socket.close(1001)
    await blue.closed()
    const again = await relay.connectWith(token, { protocol: blue.session.protocol })
    await again.event('video.layout.changed')
    expect(again.events.map(({ type }) => type)).not.toContain('webrtc.message')
  })
})

describe('a restart of the server', () => {
  test('leaves chat clients subscribed', async () => {
    const channel = `c-${newId()}`
    const ada = await chatClient(channel)
    await subscribe(ada, channel)
    await relay.restartSignaling()
    await ada.closed()
    const again = await ada.again()
    expect(again.session.protocol).toBe(ada.session.protocol)
    const bob = await chatClient(channel, { member_id: 'bob' })
    await publish(bob, channel, 'hello')
    await again.event('chat.channel.message', isMessage('hello'))
    expect(again.events.map(({ type }) => type)).not.toContain('chat.member.joined')
  })

  test('gives the subscriptions of a member to nobody else, and no more than the token permits', async () => {
    const channel = `c-${newId()}`
    const ada = await chatClient(channel)
    await subscribe(ada, channel)
    await relay.restartSignaling()
    const { protocol } = ada.session
    const eve = await relay.connectWith(await relay.chatToken({ [channel]: 'rw' }, { member_id: 'eve' }), {
      protocol,
    })
    expect(eve.session.protocol).not.toBe(protocol)
    const writer = await relay.connectWith(await relay.chatToken({ [channel]: 'w' }), { protocol })
    const bob = await chatClient(channel, { member_id: 'bob' })
    await publish(bob, channel, 'hello')
    for (const client of [eve, writer]) {
      await client.roundTrip()
      expect(contentsTo(client)).toEqual([])
    }
  })
})

describe('the events that wait for an acknowledgement', () => {
  const event = (size = 0) => outgoingEvent('x', { text: 'x'.repeat(size) }, { channel: 'c', at: 0 })
  const waitingIn = (events: UnacknowledgedEvents) => {
    const frames: Buffer[] = []
    return { ...events.resend((frame) => frames.push(frame)), frames }
  }

  test('are the newest ones, within the limits of number and size', () => {
    const few = new UnacknowledgedEvents({ events: 3, bytes: 1e6 })
    const sent = Array.from({ length: 5 }, () => event())
    for (const one of sent) few.add(one)
    expect(waitingIn(few)).toEqual({ lostSome: true, frames: sent.slice(2).map(({ frame }) => frame) })
    expect(waitingIn(few).lostSome).toBe(false)

    const small = new UnacknowledgedEvents({ events: 100, bytes: 5000 })
    for (let count = 0; count < 10; count++) small.add(event(1000))
    expect(small.size).toBe(4)
    small.add(event(6000))
    expect(small.size).toBe(0)
  })

  test('leave when they are acknowledged, in whatever order', () => {
    const events = new UnacknowledgedEvents({ events: 100, bytes: 3000 })
    const sent = [event(500), event(500), event(500)]
    for (const one of sent) events.add(one)
    expect(events.acknowledge(sent[1]?.id ?? '')).toBe(true)
    expect(events.acknowledge(sent[1]?.id ?? '')).toBe(false)
    expect(events.acknowledge('unknown')).toBe(false)
    expect(waitingIn(events)).toEqual({ lostSome: false, frames: [sent[0]?.frame, sent[2]?.frame] })
    for (let count = 0; count < 50; count++) {
      const one = event(500)
      events.add(one)
      events.acknowledge(one.id)
    }
    expect(waitingIn(events).lostSome).toBe(false)
  })
})
