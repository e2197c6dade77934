import { useEffect, useState } from 'react'
import { apiErrorText, type ErrorText } from '../api/error-text.ts'
import type { Access, Credentials } from '../api/http.ts'
import { createParleyApi } from '../api/parley-api.ts'
import type { Project } from '../api/resources.ts'
import { t } from '../languages/texts.ts'
import { Confirm } from '../ui/confirm.tsx'

interface ChangeProjectDialogProps {
  offered: Credentials
  /** The credentials in use now; null for a guest. */
  present: Access | null
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
      title={t('host.sign-in-to-project', { name })}
      description={consequences(name, presentName ?? null)}
      action={t('host.sign-in-to', { name: shortened(name) })}
      decline={presentName ? t('host.stay-in', { name: shortened(presentName) }) : t('host.stay-here')}
      harmless
      busy={busy || (!project.name && !project.problem)}
      problem={problem ?? project.problem}
      onConfirm={() => void accept()}
    />
  )
}

function consequences(name: string, present: string | null): string {
  const change = present
    ? t('host.change-project', { name, present })
    : t('host.change-project-from-none', { name })
  return `${change} ${t('host.change-project-trust', { name })}`
}

const shortened = (name: string) => (name.length > 24 ? `${name.slice(0, 23)}…` : name)

interface NamedProject {
  name: string | null
  problem: ErrorText | null
}

/** The name of the project that credentials belong to, or the reason why they are invalid. */
function useProject(credentials: Access | null): NamedProject {
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
