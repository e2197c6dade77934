import { newId } from '../../server/src/ids.ts'
import { RelayClient } from '../../server/src/testing/relay/relay-client.ts'
import { timePasses } from '../../server/src/testing/time-passes.ts'
import { eventually } from '../testing/eventually.ts'

/** The longest time that a sign-in may wait for something that does not answer. */
const ANSWERED_MS = 30_000

/** Somebody in a room, without a browser and without media. */
export interface Person {
  client: RelayClient
  sessionId: string
  memberId: string
  callID: string
}

/** Connects by this WebSocket and joins the room of the token. */
export async function enter(url: string, token: string): Promise<Person> {
  const client = await RelayClient.connect(url, token, {}, { rejectUnauthorized: false })
  const callID = newId()
  const { sessionId, memberId } = await client.join(callID)
  return { client, sessionId, memberId, callID }
}

/** Hangs up, so that the seat is free at once. */
export async function leave({ client, callID }: Person): Promise<void> {
  await client.verto('verto.bye', { dialogParams: { callID } })
  client.socket.close()
}

/** Tries to {@link enter} until it works, as the pages do. */
export async function enterAgain(url: string, token: string, patienceMs = 20_000): Promise<Person> {
  const giveUpAt = performance.now() + patienceMs
  for (;;) {
    try {
      return await enter(url, token)
    } catch (error) {
      if (performance.now() > giveUpAt) throw error
      await timePasses(200, 'the room is there again')
    }
  }
}

/**
 * Signs in while nobody can be let in.
 * @returns what the client is told: a message, or code and reason with which its socket is closed
 */
export async function refusalAt(url: string, jwt_token: string): Promise<string> {
  const client = await RelayClient.open(url, { rejectUnauthorized: false })
  const askedAtMs = Date.now()
  const [id, params] = ['sign-in', { authentication: { jwt_token } }]
  client.sendRaw(JSON.stringify({ jsonrpc: '2.0', id, method: 'signalwire.connect', params }))
  const told = await eventually(
    'the answer to a sign-in',
    async () => {
      const answer = client.frames.find((frame) => frame.id === id && frame.method === undefined)
      const refused = (answer?.error as { message: string } | undefined)?.message
      return refused ?? (client.closeCode === null ? null : `${client.closeCode} ${client.closeReason}`)
    },
    (answer) => answer !== null,
    { timeoutMs: ANSWERED_MS },
  )
  client.socket.close()
  console.log(`${told} after ${Date.now() - askedAtMs} ms`)
  return told ?? ''
}
