/** The value of `Authorization` for an API token of a project. */
export const basic = (projectId: string, apiToken: string): string =>
  `Basic ${Buffer.from(`${projectId}:${apiToken}`).toString('base64')}`
