import { type Static, Type } from 'typebox'
import { RoleField, UserName } from './account.ts'
import { Answer, Nullable, OneOf, Timestamp, Uuid } from './building-blocks.ts'

/** How far a user has come: without a password yet, or able to sign in with one or by the OpenID provider. */
const STATES = ['invited', 'password', 'openid'] as const

const userFields = {
  id: Uuid({ description: 'Id of the user.' }),
  name: UserName('Name of the user, unique within the project in any case of its letters.'),
  role: RoleField('Role of the user.'),
  signs_in_with: OneOf(STATES, {
    examples: ['password'],
    description:
      'How the user signs in: with a `password`; by the OpenID provider of this server (`openid`); not yet, because the one-time link was not used (`invited`).',
  }),
  last_sign_in_at: Nullable(Timestamp({ description: 'When the user signed in last; null for never.' })),
  created_at: Timestamp({ description: 'When the user was added.' }),
}

export const User = Answer(userFields, {
  title: 'User',
  description: 'A person who may sign in to the project.',
})
export type User = Static<typeof User>

export const InvitedUser = Answer(
  {
    ...userFields,
    link: Type.String({
      examples: ['https://meet.example.org/sign-in#invitation=k2n1Vw0mB3qk7H3bqU0T6o5c8fYz1l2QmJr4xSgA9dE'],
      description: 'One-time link by which the user chooses a password. It is shown only now.',
    }),
    link_expires_at: Timestamp({ description: 'When the link stops working.' }),
  },
  { title: 'InvitedUser', description: 'A user with a one-time link.' },
)

export const Users = Answer(
  { data: Type.Array(User, { description: 'Oldest first.' }) },
  { title: 'Users', description: 'The users of the project.' },
)

export const CreateUserBody = Type.Object(
  {
    name: UserName('Name to sign in with, such as an e-mail address.'),
    role: RoleField(
      '`owner`: everything, with users and API tokens. `operator`: runs rooms, conferences, recordings and streams. `viewer`: sees what is there.',
    ),
  },
  { title: 'CreateUser', description: 'Whom to add.' },
)

export const UpdateUserBody = Type.Object(
  { role: RoleField('The new role. The user is signed out everywhere.') },
  { title: 'UpdateUser', description: 'What to change.' },
)
