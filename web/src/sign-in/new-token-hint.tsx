import { newTokenCommand, projectsCommand } from './new-token-command.ts'

/** Says how to make a new API token when the present one is wrong or lost. */
export function NewTokenHint({ projectId }: { projectId: string }) {
  return (
    <div className="text-sm text-ink-soft">
      <p>Lost the token? Run this on the server, in the folder of Parley. It makes a new one:</p>
      <Command text={newTokenCommand(projectId)} />
      <p className="mt-2">This lists the project ids:</p>
      <Command text={projectsCommand} />
    </div>
  )
}

function Command({ text }: { text: string }) {
  return (
    <code className="mt-1 block rounded-md border border-line bg-surface px-3 py-2 font-mono text-xs break-words text-ink select-all">
      {text}
    </code>
  )
}
