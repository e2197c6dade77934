import { newTokenCommand, projectsCommand } from './new-token-command.ts'

/** Says how to make a new API token when the present one is wrong or lost. */
export function NewTokenHint({ projectId }: { projectId: string }) {
  return (
    <div className="text-sm text-ink-soft">
      <p>Lost the token? Run this on the server, in the folder of Parley. It makes a new one:</p>
      <code className="my-2 block rounded-md border border-line bg-surface px-3 py-2 font-mono text-xs break-words text-ink select-all">
        {newTokenCommand(projectId)}
      </code>
      <p>
        <code className="font-mono text-xs text-ink select-all">{projectsCommand}</code> shows the project
        ids.
      </p>
    </div>
  )
}
