import { newId } from '../../server/src/ids.ts'
import { RelayClient } from '../../server/src/testing/relay/relay-client.ts'
import { timePasses } from '../../server/src/testing/time-passes.ts'

/** Somebody in a room, without a browser and without media. */
export interface Person {
  client: RelayClient
  sessionId: string
  memberId: string
}

/** Connects by this WebSocket and joins the room of the token. */
export async function enter(url: string, token: string): Promise<Person> {
  const client = await RelayClient.connect(url, token, {}, { rejectUnauthorized: false })
  const { sessionId, memberId } = await client.join(newId())
  return { client, sessionId, memberId }
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
