import { administer } from '../testing/administration.ts'
import type { Deployment } from '../testing/use-deployment.ts'
import { basic } from './caller.ts'

/** Values of `Authorization` for the different callers. */
export interface Parties {
  projectId: string
  /** The project under test, with the scope `video`. */
  own: string
  /** The same project, with a token whose scope no operation accepts. */
  limited: string
  /** Another project, with the scope `video`. */
  other: string
  otherProjectId: string
}

const VARIABLES = ['PARLEY_LIMITED_API_TOKEN', 'PARLEY_OTHER_PROJECT_ID', 'PARLEY_OTHER_API_TOKEN'] as const

/**
 * Returns the callers. On a server that the tests started, the administration commands create them. For a deployment
 * elsewhere, environment variables name them.
 */
export async function parties(deployment: Deployment): Promise<Parties> {
  const { projectId, apiToken } = deployment.access
  const [limitedToken, otherProjectId, otherToken] =
    process.env.PARLEY_BASE_URL === undefined ? await make(deployment) : named()
  return {
    projectId,
    own: basic(projectId, apiToken),
    limited: basic(projectId, limitedToken),
    other: basic(otherProjectId, otherToken),
    otherProjectId,
  }
}

function named(): [string, string, string] {
  const values = VARIABLES.map((name) => process.env[name])
  if (values.includes(undefined)) {
    throw new Error(
      `PARLEY_BASE_URL needs ${VARIABLES.join(', ')}: a token with no scope but fax, and another project`,
    )
  }
  return values as [string, string, string]
}

async function make({ access, server }: Deployment): Promise<[string, string, string]> {
  const parley = (...args: string[]) => administer(server, ...args)
  const limitedToken = await parley('tokens', 'create', '--project', access.projectId, '--scopes', 'fax')
  const otherProjectId = await parley('projects', 'create', '--name', 'other')
  const otherToken = await parley('tokens', 'create', '--project', otherProjectId, '--scopes', 'all')
  return [limitedToken, otherProjectId, otherToken]
}
