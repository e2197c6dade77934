import { AcceptSignInLinkBody, SignInLink } from '../../resources/account.ts'
import { nothingLeft } from '../../resources/bodies.ts'
import { type Operation, operation } from '../conventions/operation.ts'

const tag = 'Signing in'

/** `/sign_in_link`: one-time links by which people choose a password. The secret comes as a bearer token. */
export const signInLinkOperations: Operation[] = [
  operation(
    {
      route: 'GET /sign_in_link',
      operationId: 'getSignInLink',
      summary: 'Read a one-time link',
      description: 'Whom the link invites, and to what. It stays good. An addition of Parley.',
      tag,
      answer: SignInLink,
    },
    async ({ signInLink: { project, name, role } }) => {
      return { project: { id: project.id, name: project.name }, name, role }
    },
  ),

  operation(
    {
      route: 'PUT /sign_in_link',
      operationId: 'acceptSignInLink',
      summary: 'Use a one-time link',
      description:
        'Sets the password, uses the link up, and signs in. The password has at least 12 characters and must not be easy to guess. An addition of Parley.',
      tag,
      body: AcceptSignInLinkBody,
      errorCodes: {
        400: ['missing_required_parameter'],
        403: ['invalid_auth_token_permissions'],
        422: ['value_not_unique'],
      },
    },
    async (request, services) => {
      const { name = null, password, ...rest } = request.body
      nothingLeft(rest)
      const { signInLink } = request
      const user = await request.withPasswords(() => services.ownAccounts.accept(signInLink, name, password))
      request.setSession(
        await services.userSessions.start(user, 'invitation', request.userAgent, request.sessionSecret),
      )
    },
  ),
]
