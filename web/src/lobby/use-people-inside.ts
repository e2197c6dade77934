import { useQuery } from '@tanstack/react-query'
import { useApi } from '../api/api-context.tsx'
import { t } from '../languages/texts.ts'

const refreshMs = 5_000

/**
 * The names of the people who are in a session now.
 * @param sessionId null while the room is empty
 * @returns undefined until it is known
 */
export function usePeopleInside(sessionId: string | null): string[] | undefined {
  const api = useApi()
  const { data } = useQuery({
    queryKey: ['members', sessionId],
    queryFn: ({ signal }) => api.listSessionMembers(sessionId ?? '', signal),
    enabled: sessionId !== null,
    refetchInterval: refreshMs,
  })
  if (sessionId === null) return undefined
  return data?.data
    .filter((member) => member.leave_time === null)
    .map(({ name }) => name ?? t('host.somebody'))
}
