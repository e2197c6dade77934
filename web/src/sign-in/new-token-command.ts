/**
 * The command that makes a new API token, as it works in the folder of the server's installation.
 * @param projectId as it was entered; another text than an id is not repeated, because a link may have entered it
 */
export function newTokenCommand(projectId: string): string {
  const id = projectId.trim()
  return `npx parley tokens create --project ${/^\w[\w-]{0,99}$/.test(id) ? id : '<project id>'} --scopes all`
}

/** The command that shows the ids of all projects. */
export const projectsCommand = 'npx parley projects list'
