import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { sampleOffer } from '../../server/src/testing/relay/sample-offer.ts'
import { RoomClient } from '../fuzz/room-client.ts'
import { checks } from '../fuzz/stun.ts'
import { within } from '../testing/eventually.ts'
import { useDeployment } from '../testing/use-deployment.ts'
import { useMeetingInProgress } from './meeting-in-progress.ts'

const deployment = useDeployment({
  name: 'hostile-media-bytes',
  participantsLive: 'for all tests',
  env: { PARLEY_MEDIA_WORKERS: '1' },
})
const meeting = useMeetingInProgress(deployment)

/** Sends UDP datagrams with a forged source port. Needs root. */
const FORGE = `
import socket, struct, sys
raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_UDP)
for line in sys.argv[3:]:
    data = bytes.fromhex(line)
    raw.sendto(struct.pack('!HHHH', int(sys.argv[1]), int(sys.argv[2]), 8 + len(data), 0) + data, ('127.0.0.1', 0))
`
const forge = (sourcePort: number, port: number, datagrams: readonly Buffer[]) =>
  promisify(execFile)('python3', [
    '-c',
    FORGE,
    String(sourcePort),
    String(port),
    ...datagrams.map((each) => each.toString('hex')),
  ])

/** A member in a call whose browser hides its addresses, as Chromium does for viewers. */
async function enterHidden() {
  const token = await deployment.rest.createRoomToken({ room_name: deployment.roomName() })
  const client = await RoomClient.open(deployment.access)
  await client.connect(token)
  const callID = randomUUID()
  const offer = sampleOffer().replaceAll(/a=candidate:.*\r\n/g, '')
  const result = await client.join(callID, offer)
  expect(result).toMatchObject({ code: '200' })
  const { answer } = client.call
  const fieldOf = (name: string, sdp: string) => new RegExp(`a=${name}:(\\S+)`).exec(sdp)?.[1] ?? ''
  const username = `${fieldOf('ice-ufrag', answer)}:${fieldOf('ice-ufrag', offer)}`
  return {
    client,
    callID,
    port: Number(/a=candidate:\S+ \d+ \S+ \d+ \S+ (\d+)/.exec(answer)?.[1]),
    checks: checks([username], fieldOf('ice-pwd', answer)),
  }
}

/** Resolves once the port answers a connectivity check. */
async function answersChecks(port: number, datagrams: readonly Buffer[]): Promise<void> {
  const socket = createSocket('udp4')
  const again = setInterval(() => {
    for (const datagram of datagrams) socket.send(datagram, port, '127.0.0.1')
  }, 100)
  try {
    await within('an answer to a check', 10_000, once(socket, 'message'))
  } finally {
    clearInterval(again)
    socket.close()
  }
}

const workers = async () => (await deployment.server.mediaWorkers()).map(({ pid }) => pid)

/** The slowest answer of the server's main process while `work` runs, in milliseconds. */
async function slowestHealthCheck(work: Promise<unknown>): Promise<number> {
  let isOver = false
  const over = work.finally(() => {
    isOver = true
  })
  let slowestMs = 0
  while (!isOver) {
    const startedAt = performance.now()
    expect(await deployment.server.readyStatus()).toBe(200)
    slowestMs = Math.max(slowestMs, performance.now() - startedAt)
  }
  await over
  return slowestMs
}

test('datagrams from port 0, authentic ones of a member too, end no media worker', async () => {
  const before = await workers()
  await meeting.goesOnDuring(async () => {
    const member = await enterHidden()
    // Without root, datagrams cannot be forged. For that case the worker's own test (ice-relay.test.ts) covers the
    // same.
    if (process.getuid?.() === 0) await forge(0, member.port, [...member.checks, Buffer.alloc(40, 0x80)])
    // These are sent and answered after the forged ones, on the same socket of the worker.
    await answersChecks(member.port, member.checks)
    await member.client.verto('verto.bye', { dialogParams: { callID: member.callID } })
    await member.client.close()
  })
  expect(await workers()).toEqual(before)
})

test('offers that are slow to read for a careless reader hold nobody up', async () => {
  const before = await workers()
  await meeting.goesOnDuring(async () => {
    const member = await enterHidden()
    const slow = [
      `${sampleOffer()}a=fingerprint:${' '.repeat(60_000)}x`,
      `${sampleOffer()}${Array.from({ length: 3800 }, (_, i) => `a=rtpmap:${i % 128} x/1`).join('\r\n')}`,
      `${sampleOffer()}${Array.from({ length: 1900 }, (_, i) => `a=rtpmap:${i % 128} VP8/90000`).join('\r\n')}`,
      `v=0\r\na=fingerprint:${' '.repeat(60_000)}x`,
    ]
    const slowestMs = await slowestHealthCheck(
      Promise.all(
        slow.map((sdp) =>
          member.client.verto('verto.modify', {
            dialogParams: { callID: member.callID },
            action: 'updateMedia',
            sdp,
          }),
        ),
      ),
    )
    expect(slowestMs).toBeLessThan(1000)
    await member.client.verto('verto.bye', { dialogParams: { callID: member.callID } })
    await member.client.close()
  })
  expect(await workers()).toEqual(before)
})

test('offers without end are refused with code 429, and the call goes on', async () => {
  await meeting.goesOnDuring(async () => {
    const member = await enterHidden()
    const dialogParams = { callID: member.callID }
    const offer = () =>
      member.client.verto('verto.modify', { dialogParams, action: 'updateMedia', sdp: sampleOffer() })
    const codes = (await Promise.all(Array.from({ length: 40 }, offer))).map((result) => result?.code)
    expect(codes.filter((code) => code === '429').length).toBeGreaterThanOrEqual(25)
    const { sessionId: room_session_id, memberId } = member.client.call
    const answer = await member.client.request('video.members.get', { room_session_id })
    expect(answer).toMatchObject({ result: { code: '200', members: [{ id: memberId }] } })
    await member.client.verto('verto.bye', { dialogParams })
    await member.client.close()
  })
})
