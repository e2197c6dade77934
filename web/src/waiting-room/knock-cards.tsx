import { useEffect, useState } from 'react'
import { t } from '../languages/texts.ts'
import { Button } from '../ui/button.tsx'
import { KnockClient, KnockFailed, type KnockingPerson } from './knock-client.ts'

const RETRY_MS = 5_000
/** More are counted. */
const MOST_SHOWN = 3

/** Tells a moderator who knocks, and lets them in or refuses. */
export function KnockCards({ token }: { token: string }) {
  const [client] = useState(() => new KnockClient(token))
  const knocks = useKnocks(client)
  const [decided, setDecided] = useState<readonly string[]>([])
  const open = knocks.filter(({ id }) => !decided.includes(id))
  if (open.length === 0) return null

  function decide(people: readonly KnockingPerson[], letIn: boolean): void {
    const ids = people.map(({ id }) => id)
    setDecided((before) => [...before, ...ids])
    // Somebody else may have answered, or they went away: then there is nothing to do.
    for (const id of ids) void client.decide(id, letIn).catch(() => {})
  }

  return (
    <section
      aria-label={t('waiting.who-knocks')}
      className="fixed inset-x-3 top-16 z-40 mx-auto max-w-sm space-y-2 sm:inset-x-auto sm:end-6"
    >
      <p role="status" className="sr-only">
        {t('waiting.count', { count: open.length })}
      </p>
      <ul className="space-y-2">
        {open.slice(0, MOST_SHOWN).map((person) => (
          <li
            key={person.id}
            className="rounded-md border border-line bg-raised p-3 text-sm text-ink shadow-float animate-appear"
          >
            <p className="font-semibold break-words">{t('waiting.knocks', { name: person.name })}</p>
            <div className="mt-2.5 flex gap-2">
              <Button
                kind="primary"
                size="small"
                aria-label={t('waiting.let-person-in', { name: person.name })}
                onClick={() => decide([person], true)}
              >
                {t('waiting.let-in')}
              </Button>
              <Button
                size="small"
                aria-label={t('waiting.refuse-person', { name: person.name })}
                onClick={() => decide([person], false)}
              >
                {t('waiting.refuse')}
              </Button>
            </div>
          </li>
        ))}
      </ul>
      {open.length > 1 && (
        <Button className="w-full shadow-float" onClick={() => decide(open, true)}>
          {t('waiting.let-all-in', { count: open.length })}
        </Button>
      )}
    </section>
  )
}

/** Those who knock now. A room without waiting room has none, and is not asked again. */
function useKnocks(client: KnockClient): readonly KnockingPerson[] {
  const [knocks, setKnocks] = useState<readonly KnockingPerson[]>([])
  useEffect(() => {
    const abort = new AbortController()
    const watch = async () => {
      for (let version = 0; !abort.signal.aborted; ) {
        try {
          const list = await client.list(version, abort.signal)
          version = list.version
          if (version === 0) return
          setKnocks(list.knocks)
        } catch (error) {
          // The room is not open any more, or the token is void: nobody knocks.
          if (error instanceof KnockFailed && error.status < 500 && error.status !== 429) return
          await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
        }
      }
    }
    void watch()
    return () => abort.abort()
  }, [client])
  return knocks
}
