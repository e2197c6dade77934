import type { Readiness } from '../green-room/readiness.ts'
import { fetchServerFacts } from '../server-facts.ts'
import { type Interruption, wasForAll } from './interruption.ts'
import { Meeting, type Tell } from './meeting.ts'
import { readinessFor } from './readiness-for.ts'
import { isTokenRefused, ServerAway } from './return-failure.ts'
import { returnNote } from './return-note.ts'

/** Everything needed to bring somebody back. */
export interface WayBack {
  from: Interruption
  /** The token that they joined with. */
  roomToken: string
  /** Gets a token as in the green room. For an invitation it is always the same. */
  getToken: (ready: Readiness) => Promise<string>
  tell: Tell
  /** Called with a meeting before it is joined. If the person has gone away, the caller leaves it at once. */
  onAttempt: (meeting: Meeting) => void
}

/**
 * Tries once to bring somebody back, with the devices that were on.
 * @returns the new meeting, and the token that it was joined with
 * @throws ServerAway, or what a meeting rejects with
 */
export async function comeBackOnce(way: WayBack): Promise<{ meeting: Meeting; roomToken: string }> {
  const { from, roomToken, tell } = way
  const facts = await fetchServerFacts()
  if (!facts) throw new ServerAway()
  await from.closed
  const back = await rejoin(way, async () => roomToken).catch((error: unknown) => {
    if (!isTokenRefused(error)) throw error
    // With credentials for the API the page gets another token. An invitation's token stays the same.
    return rejoin(way, async (ready) => {
      const another = await way.getToken(ready)
      if (another === roomToken) throw error
      return another
    })
  })
  const forAll = wasForAll(from.reason, facts.run === from.run)
  const recording = back.meeting.snapshot().recording !== null
  const { title, hint } = returnNote(from, { forAll, recording })
  tell(title, hint || undefined)
  return back
}

async function rejoin(
  { from, tell, onAttempt }: WayBack,
  tokenFor: (ready: Readiness) => Promise<string>,
): Promise<{ meeting: Meeting; roomToken: string }> {
  const ready = await readinessFor(from)
  const meeting = new Meeting(tell)
  meeting.chat.carry(from.chat)
  onAttempt(meeting)
  try {
    const roomToken = await tokenFor(ready)
    await meeting.join(roomToken, ready, 'as-ready')
    return { meeting, roomToken }
  } catch (error) {
    for (const track of ready.tracks) track.stop()
    throw error
  }
}
