import { useEffect } from 'react'
import { useSurroundings, type VisitProblem } from '../room/surroundings.ts'
import type { InvitationLook } from './use-invitation.ts'

/** Tells the page around why nobody can join now. The screens tell the person. */
export function useReportedProblem(look: InvitationLook): void {
  const { onProblem } = useSurroundings()
  const problem = problemOf(look)
  // biome-ignore lint/correctness/useExhaustiveDependencies: told once for each problem
  useEffect(() => {
    if (problem) onProblem(problem)
  }, [JSON.stringify(problem)])
}

function problemOf(look: InvitationLook): VisitProblem | null {
  if (look.is === 'void') return { code: 'token-invalid' }
  if (look.is === 'unreachable') return { code: 'unreachable' }
  if (look.is !== 'read' || look.invitation.state === 'open') return null
  return { code: 'not-open', state: look.invitation.state }
}
