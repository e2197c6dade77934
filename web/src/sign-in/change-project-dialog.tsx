import { useEffect, useState } from 'react'
import { apiErrorText, type ErrorText } from '../api/error-text.ts'
import type { Credentials } from '../api/http.ts'
import { createParleyApi } from '../api/parley-api.ts'
import type { Project } from '../api/resources.ts'
import { Confirm } from '../ui/confirm.tsx'

interface ChangeProjectDialogProps {
  offered: Credentials
  /** The credentials in use now; null for a guest. */
  present: Credentials | null
  /** Checks the offered credentials again, and signs in. */
  onAccept: () => Promise<void>
  onDecline: () => void
}

/**
 * Asks before a link replaces the current sign-in: from then on, the author of the link could see what is done in that
 * project. Nothing changes until the person answers.
 */
export function ChangeProjectDialog({ offered, present, onAccept, onDecline }: ChangeProjectDialogProps) {
  const project = useProject(offered)
  const presentName = useProject(present).name ?? present?.projectId
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<ErrorText | null>(null)
  const name = project.name ?? offered.projectId

  async function accept(): Promise<void> {
    setBusy(true)
    try {
      await onAccept()
    } catch (error) {
      setProblem(apiErrorText(error))
      setBusy(false)
    }
  }

  return (
    <Confirm
      open
      onOpenChange={(open) => !open && onDecline()}
      title={`Sign in to the project “${name}”?`}
      description={consequences(name, presentName ?? null)}
      action={`Sign in to “${shortened(name)}”`}
      decline={presentName ? `Stay in “${shortened(presentName)}”` : 'Stay here'}
      harmless
      busy={busy || (!project.name && !project.problem)}
      problem={problem ?? project.problem}
      onConfirm={() => void accept()}
    />
  )
}

function consequences(name: string, presentName: string | null): string {
  const trust = `Your new rooms and meetings then belong to “${name}”. Sign in only if you trust the person who gave you the link.`
  return presentName
    ? `A link that was opened here signs in to “${name}”. You would be signed out of “${presentName}” and leave your meeting, if you are in one. ${trust}`
    : `A link that was opened here signs in to “${name}”. You would leave your meeting, if you are in one. ${trust}`
}

const shortened = (name: string) => (name.length > 24 ? `${name.slice(0, 23)}…` : name)

interface NamedProject {
  name: string | null
  problem: ErrorText | null
}

/** The name of the project that credentials belong to, or the reason why they are invalid. */
function useProject(credentials: Credentials | null): NamedProject {
  const [answer, setAnswer] = useState<NamedProject>({ name: null, problem: null })
  useEffect(() => {
    setAnswer({ name: null, problem: null })
    if (!credentials) return
    const abort = new AbortController()
    createParleyApi(credentials)
      .getProject(abort.signal)
      .then(
        ({ name }: Project) => setAnswer({ name, problem: null }),
        (error: unknown) => !abort.signal.aborted && setAnswer({ name: null, problem: apiErrorText(error) }),
      )
    return () => abort.abort()
  }, [credentials])
  return answer
}
