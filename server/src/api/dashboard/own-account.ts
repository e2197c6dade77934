import { Refusal } from '../../errors/refusal.ts'
import { PasswordBody, UserSessions } from '../../resources/account.ts'
import { nothingLeft } from '../../resources/bodies.ts'
import { IdParams } from '../../resources/building-blocks.ts'
import { formatMoment } from '../../resources/dates.ts'
import { type Operation, operation } from '../conventions/operation.ts'

const tag = 'Signing in'

/** What a user does with the own account: sessions and the password. */
export const ownAccountOperations: Operation[] = [
  operation(
    {
      route: 'GET /sessions',
      operationId: 'listOwnSessions',
      summary: 'List own sessions',
      description: 'The browsers in which the user is signed in. An addition of Parley.',
      tag,
      answer: UserSessions,
    },
    async ({ projectId, person: { id, sessionId } }, { userSessions }) => {
      const sessions = await userSessions.list(projectId, id)
      const data = sessions.map((session) => ({
        id: session.id,
        user_agent: session.user_agent,
        is_current: session.id === sessionId,
        last_used_at: formatMoment(session.last_used_at),
        expires_at: formatMoment(session.expires_at),
        created_at: formatMoment(session.created_at),
      }))
      return { data }
    },
  ),

  operation(
    {
      route: 'DELETE /sessions/:id',
      operationId: 'endOwnSession',
      summary: 'End one of the own sessions',
      description: 'Signs the user out in another browser. An addition of Parley.',
      tag,
      right: 'read',
      params: IdParams,
    },
    async ({ projectId, params, person }, { users, userSessions }) => {
      const user = await users.get(projectId, person.id)
      if (await userSessions.end(user, params.id)) return
      throw new Refusal('provided_id_is_unrecognized', { attribute: 'id' })
    },
  ),

  operation(
    {
      route: 'PUT /password',
      operationId: 'changePassword',
      summary: 'Change the own password',
      description:
        'Sets a new password and ends all other sessions of the user. The password has at least 12 characters and must not be easy to guess. An addition of Parley.',
      tag,
      right: 'read',
      body: PasswordBody,
    },
    async (request, { userSessions, ownAccounts }) => {
      const { current_password, password, ...rest } = request.body
      nothingLeft(rest)
      const signedIn = await userSessions.find(request.sessionSecret ?? '')
      if (!signedIn) throw new Refusal('token_invalid')
      const { user } = signedIn
      const guess = `change ${JSON.stringify([user.id, current_password])}`
      const isRight = async () => ((await ownAccounts.isPassword(user, current_password)) ? true : undefined)
      const found = await request.tryCredentials(guess, isRight)
      if (!found) {
        const message = 'is not the present password'
        throw new Refusal('invalid_parameter', { attribute: 'current_password', message })
      }
      await request.withPasswords(() => ownAccounts.changePassword(signedIn, password))
    },
  ),
]
