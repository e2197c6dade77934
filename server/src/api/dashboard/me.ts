import type { Me } from '../../resources/account.ts'
import { Me as MeAnswer } from '../../resources/account.ts'
import { type Right, rightsOf } from '../../resources/roles.ts'
import type { Services } from '../../services.ts'
import type { ApiRequest } from '../conventions/api-request.ts'
import type { Caller } from '../conventions/authentication.ts'
import { type Operation, operation } from '../conventions/operation.ts'

const tag = 'Signing in'

/** `/me`: who the caller is, for people and for API tokens. */
export const meOperations: Operation[] = [
  operation(
    {
      route: 'GET /me',
      operationId: 'getMe',
      summary: 'Who am I?',
      description:
        'The project and the rights of the credentials, and the user if they are the cookie of a session. An addition of Parley.',
      tag,
      answer: MeAnswer,
      hasSecrets: true,
    },
    async (request, services) => showMe(request, services),
  ),
]

/** Shows the caller of a request. */
async function showMe(request: ApiRequest, { projects, users, userSessions }: Services): Promise<Me> {
  const { projectId, caller, sessionSecret = '' } = request
  const { person } = caller
  const project = await projects.find(projectId)
  const user = person && (await users.get(projectId, person.id))
  return {
    project: { id: projectId, name: project?.name ?? projectId },
    person: user && {
      id: user.id,
      name: user.name,
      role: user.role,
      has_password: user.password_hash !== null,
    },
    may: [...rightsOfCaller(caller)],
    csrf_token: person ? userSessions.csrfToken(sessionSecret) : null,
  }
}

/** The rights of an API token follow from its scopes. */
function rightsOfCaller({ person, scopes }: Caller): readonly Right[] {
  if (person) return rightsOf(person.role)
  return [
    ...(scopes.includes('video') ? (['read', 'operate'] as const) : []),
    ...(scopes.includes('management') ? (['administer'] as const) : []),
  ]
}
