import { SignInBody } from '../../resources/account.ts'
import { nothingLeft } from '../../resources/bodies.ts'
import { type Operation, operation } from '../conventions/operation.ts'

const tag = 'Signing in'

/** `PUT /session`: where people sign in. */
export const signInOperations: Operation[] = [
  operation(
    {
      route: 'PUT /session',
      operationId: 'signIn',
      summary: 'Sign in',
      description:
        'For pages of this server: checks name and password of a user and sets the cookie of a new session. The session that the browser had ends. An addition of Parley.',
      tag,
      body: SignInBody,
      errorCodes: { 403: ['invalid_auth_token_permissions'] },
    },
    async (request, { passwordSignIn, userSessions }) => {
      const { name, password, project_id, ...rest } = request.body
      nothingLeft(rest)
      const entered = { name, password, projectId: project_id ?? null }
      const user = await request.lookUp(`password ${JSON.stringify(entered)}`, () =>
        passwordSignIn.check(entered, (projectId) => request.isAtHome(projectId)),
      )
      request.setSession(await userSessions.start(user, 'password', request.userAgent, request.sessionSecret))
    },
  ),
]

/** `DELETE /session`: sign out. */
export const signOutOperations: Operation[] = [
  operation(
    {
      route: 'DELETE /session',
      operationId: 'signOut',
      summary: 'Sign out',
      description: 'Ends the session of the cookie. An addition of Parley.',
      tag,
      right: 'read',
    },
    async (request, { users, userSessions }) => {
      const { id, sessionId } = request.person
      await userSessions.end(await users.get(request.projectId, id), sessionId)
      request.setSession(null)
    },
  ),
]
