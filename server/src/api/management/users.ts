import type { FreshInvitation } from '../../accounts/invitation.ts'
import { invitationPath } from '../../accounts/invitation.ts'
import { nothingLeft } from '../../resources/bodies.ts'
import { IdParams } from '../../resources/building-blocks.ts'
import { formatMoment } from '../../resources/dates.ts'
import {
  CreateUserBody,
  InvitedUser,
  type User as ShownUser,
  UpdateUserBody,
  User,
  Users,
} from '../../resources/user.ts'
import type { UserRecord } from '../../storage/records.ts'
import { actorOf } from '../conventions/authentication.ts'
import { type Operation, operation } from '../conventions/operation.ts'

const tag = 'Users'

/** `/users`: the people who may sign in to the project. */
export const userOperations: Operation[] = [
  operation(
    {
      route: 'GET /users',
      operationId: 'listUsers',
      summary: 'List users',
      description: 'The people who may sign in to the project, oldest first. An addition of Parley.',
      tag,
      answer: Users,
    },
    async ({ projectId }, { users }) => ({ data: (await users.list(projectId)).map(showUser) }),
  ),

  operation(
    {
      route: 'POST /users',
      operationId: 'createUser',
      summary: 'Add a user',
      description:
        'Adds a user, and answers with a one-time link by which the user chooses a password within 24 hours. Send the link yourself. An addition of Parley.',
      tag,
      body: CreateUserBody,
      answer: InvitedUser,
      status: 201,
      errorCodes: { 422: ['value_not_unique', 'invalid_state'] },
    },
    async ({ projectId, caller, origin, body }, { users }) => {
      const { name, role, ...rest } = body
      nothingLeft(rest)
      return showInvited(await users.add(projectId, name, role, actorOf(caller)), origin)
    },
  ),

  operation(
    {
      route: 'GET /users/:id',
      operationId: 'getUser',
      summary: 'Get a user',
      description: 'One user. An addition of Parley.',
      tag,
      params: IdParams,
      answer: User,
    },
    async ({ projectId, params }, { users }) => showUser(await users.get(projectId, params.id)),
  ),

  operation(
    {
      route: 'PUT /users/:id',
      operationId: 'updateUser',
      summary: 'Change the role of a user',
      description:
        'Gives the user another role and signs the user out everywhere. A project keeps an owner. An addition of Parley.',
      tag,
      params: IdParams,
      body: UpdateUserBody,
      answer: User,
      errorCodes: { 422: ['invalid_state'] },
    },
    async ({ projectId, caller, params, body }, { users }) => {
      const { role, ...rest } = body
      nothingLeft(rest)
      return showUser(await users.setRole(projectId, params.id, role, actorOf(caller)))
    },
  ),

  operation(
    {
      route: 'POST /users/:id/reset',
      operationId: 'resetUser',
      summary: 'Reset the password of a user',
      description:
        'Makes the password void, signs the user out everywhere, and answers with a one-time link for a new password. An addition of Parley.',
      tag,
      params: IdParams,
      answer: InvitedUser,
      errorCodes: { 422: ['invalid_state'] },
    },
    async ({ projectId, caller, origin, params }, { users }) =>
      showInvited(await users.reset(projectId, params.id, actorOf(caller)), origin),
  ),

  operation(
    {
      route: 'DELETE /users/:id',
      operationId: 'deleteUser',
      summary: 'Remove a user',
      description:
        'Removes the user and signs the user out everywhere. A project keeps an owner. An addition of Parley.',
      tag,
      params: IdParams,
    },
    async ({ projectId, caller, params }, { users }) => {
      await users.remove(projectId, params.id, actorOf(caller))
    },
  ),
]

function showUser({
  id,
  name,
  role,
  identity,
  password_hash,
  last_sign_in_at,
  created_at,
}: UserRecord): ShownUser {
  const withPassword = password_hash === null ? 'invited' : 'password'
  return {
    id,
    name,
    role,
    signs_in_with: identity === null ? withPassword : 'openid',
    last_sign_in_at: last_sign_in_at === null ? null : formatMoment(last_sign_in_at),
    created_at: formatMoment(created_at),
  }
}

const showInvited = (user: UserRecord & FreshInvitation, origin: string) => ({
  ...showUser(user),
  link: origin + invitationPath(user.secret),
  link_expires_at: formatMoment(user.expires_at),
})
