import { MarkedText } from '../languages/marked-text.tsx'
import { t } from '../languages/texts.ts'
import { newTokenCommand, projectsCommand } from './new-token-command.ts'

/** Says how to make a new API token when the present one is wrong or lost. */
export function NewTokenHint({ projectId }: { projectId: string }) {
  return (
    <div className="text-sm text-ink-soft">
      <p>{t('host.lost-token')}</p>
      <code
        dir="ltr"
        className="my-2 block rounded-md border border-line bg-surface px-3 py-2 font-mono text-xs break-words text-ink select-all"
      >
        {newTokenCommand(projectId)}
      </code>
      <p>
        <MarkedText
          id="host.shows-project-ids"
          values={{
            command: (
              <code dir="ltr" className="font-mono text-xs text-ink select-all">
                {projectsCommand}
              </code>
            ),
          }}
        />
      </p>
    </div>
  )
}
