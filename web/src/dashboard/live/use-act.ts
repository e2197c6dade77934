import { type UseMutationResult, useMutation } from '@tanstack/react-query'
import { apiErrorText } from '../../api/error-text.ts'
import { useToast } from '../../ui/toasts.tsx'
import type { DashboardAccess } from '../dashboard-context.tsx'
import { useDashboard } from '../dashboard-context.tsx'

/**
 * Something that is done to a running room or a stream. What follows from it comes by the event stream; a refusal is told to
 * the person.
 */
export function useAct<Input = void, Answer = unknown>(
  act: (client: DashboardAccess['client'], input: Input) => Promise<Answer>,
): UseMutationResult<Answer, Error, Input> {
  const { client } = useDashboard()
  const tell = useToast()
  return useMutation({
    mutationFn: (input: Input) => act(client, input),
    onError: (error) => {
      const { title, hint } = apiErrorText(error)
      tell(title, hint)
    },
  })
}
