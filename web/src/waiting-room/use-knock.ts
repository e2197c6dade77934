import { useEffect, useState } from 'react'
import { type KnockAnswer, KnockClient, KnockFailed } from './knock-client.ts'

/** What became of knocking. */
export type Knocking = 'asking' | 'waiting' | 'full' | 'refused' | 'unreachable'

const RETRY_MS = 5_000

/** Knocks, and again where the server has forgotten it, until somebody answers. Leaves when the component goes. */
export function useKnock(token: string, name: string, onLetIn: (pass: string | null) => void): Knocking {
  const [knocking, setKnocking] = useState<Knocking>('asking')
  // biome-ignore lint/correctness/useExhaustiveDependencies: one knock for each visit; a new callback is no reason for another
  useEffect(() => {
    const client = new KnockClient(token)
    const abort = new AbortController()
    let id: string | null = null
    const goAway = () => {
      if (id) client.leave(id)
    }
    window.addEventListener('pagehide', goAway)
    const untilAnswered = async () => {
      while (!abort.signal.aborted) {
        try {
          let answer: KnockAnswer
          if (id === null) {
            const knocked = await client.knock(name)
            answer = knocked
            id = knocked.id
          } else answer = await client.answer(id, abort.signal)
          if (abort.signal.aborted) return goAway()
          if (answer.state === 'let-in') return onLetIn(answer.pass)
          if (answer.state === 'refused') return setKnocking('refused')
          if (answer.state === 'gone') id = null
          else setKnocking('waiting')
        } catch (error) {
          if (abort.signal.aborted) return
          const isFull = error instanceof KnockFailed && error.status === 422
          setKnocking(isFull ? 'full' : 'unreachable')
          await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
        }
      }
    }
    void untilAnswered()
    return () => {
      abort.abort()
      goAway()
      window.removeEventListener('pagehide', goAway)
    }
  }, [token, name])
  return knocking
}
