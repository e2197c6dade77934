import { useEffect, useState } from 'react'
import { useApi } from '../../api/api-context.tsx'
import type { ErrorText } from '../../api/error-text.ts'
import { usePerson } from '../../api/signed-in-access.ts'
import { readinessToWatch } from '../../green-room/readiness.ts'
import { t } from '../../languages/texts.ts'
import { joinErrorText } from '../../room/join-error-text.ts'
import { Meeting } from '../../room/meeting.ts'
import { useToast } from '../../ui/toasts.tsx'
import type { LiveRoom } from './live-queries.ts'

/** How far watching a room is. */
export type Watching =
  | { is: 'joining' }
  | { is: 'watching'; meeting: Meeting }
  | { is: 'over'; problem: ErrorText | null }

/**
 * Joins a room as its audience, with a token that is made for this person, and leaves it with the screen.
 * @returns how far that is, and a function that joins once more
 */
export function useWatching({ name }: Pick<LiveRoom, 'name'>): { watching: Watching; again: () => void } {
  const api = useApi()
  const tell = useToast()
  const userName = usePerson()?.name ?? t('dashboard.dashboard')
  const [attempt, setAttempt] = useState(0)
  const [watching, setWatching] = useState<Watching>({ is: 'joining' })

  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt joins once more
  useEffect(() => {
    const meeting = new Meeting(tell)
    let isGone = false
    async function join(): Promise<void> {
      const token = await api.createRoomToken({ room_name: name, user_name: userName, join_as: 'audience' })
      if (!isGone) await meeting.join(token, readinessToWatch())
    }
    setWatching({ is: 'joining' })
    join().then(
      () => !isGone && setWatching({ is: 'watching', meeting }),
      (error: unknown) => !isGone && setWatching({ is: 'over', problem: joinErrorText(error) }),
    )
    const stop = meeting.subscribe(() => {
      if (meeting.snapshot().phase === 'left' && !isGone) {
        setWatching((present) => (present.is === 'watching' ? { is: 'over', problem: null } : present))
      }
    })
    return () => {
      isGone = true
      stop()
      void meeting.leave()
    }
  }, [api, tell, name, userName, attempt])

  return { watching, again: () => setAttempt(attempt + 1) }
}
