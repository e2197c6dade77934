import { administer } from '../testing/administration.ts'
import type { ServerProcess } from '../testing/server-process.ts'

/**
 * Makes the tokens and the other project that the REST suite wants of a deployment.
 * @param server one of its servers, whose database gets them
 * @param baseUrl where the deployment is reached
 * @returns environment variables with which the suite runs against it
 */
export async function asElsewhere(
  server: ServerProcess,
  baseUrl = server.access.baseUrl,
): Promise<Record<string, string>> {
  const { projectId, apiToken } = server.access
  const parley = (...args: string[]) => administer(server, ...args)
  const otherProjectId = await parley('projects', 'create', '--name', 'other')
  return {
    PARLEY_BASE_URL: baseUrl,
    PARLEY_PROJECT_ID: projectId,
    PARLEY_API_TOKEN: apiToken,
    PARLEY_CA_FILE: `${server.dataDir}/tls/ca.pem`,
    PARLEY_LIMITED_API_TOKEN: await parley('tokens', 'create', '--project', projectId, '--scopes', 'fax'),
    PARLEY_OTHER_PROJECT_ID: otherProjectId,
    PARLEY_OTHER_API_TOKEN: await parley('tokens', 'create', '--project', otherProjectId, '--scopes', 'all'),
  }
}
