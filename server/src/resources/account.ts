import { type Static, Type } from 'typebox'
import { Answer, Nullable, OneOf, Optional, Text, Timestamp, Uuid } from './building-blocks.ts'
import { RIGHTS, ROLES } from './roles.ts'

const USER_NAME_PATTERN = '^[A-Za-z0-9_.@+-]+$'
const PASSWORD_MAX = 1000

/** Name that a user signs in with. */
export const UserName = (description: string) =>
  Type.String({
    pattern: USER_NAME_PATTERN,
    minLength: 1,
    maxLength: 100,
    examples: ['ada@example.org'],
    description,
  })

/** Role of a user. */
export const RoleField = (description: string) => OneOf(ROLES, { examples: ['operator'], description })

const Password = (description: string) =>
  Text({ minLength: 1, maxLength: PASSWORD_MAX, examples: ['four words nobody else has'], description })

const ProjectName = Answer(
  {
    id: Type.String({
      examples: ['5e2f0c1a-7c3b-4a55-9a0e-0d2c8e6b1f42'],
      description: 'Id of the project.',
    }),
    name: Type.String({ examples: ['First project'], description: 'Its name.' }),
  },
  {
    description: 'The project.',
    examples: [{ id: '5e2f0c1a-7c3b-4a55-9a0e-0d2c8e6b1f42', name: 'First project' }],
  },
)

/** `GET /api/dashboard/me`. */
export const Me = Answer(
  {
    project: ProjectName,
    person: Type.Unsafe<{
      id: string
      name: string
      role: Static<ReturnType<typeof RoleField>>
      has_password: boolean
    } | null>({
      ...Answer(
        {
          id: Uuid({ description: 'Id of the user.' }),
          name: UserName('Name of the user.'),
          role: RoleField('Role of the user in the project.'),
          has_password: Type.Boolean({ description: 'Whether the user signs in with a password.' }),
        },
        {
          description: 'The user who signed in; null for an API token.',
          examples: [
            {
              id: '9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11',
              name: 'ada@example.org',
              role: 'operator',
              has_password: true,
            },
          ],
        },
      ),
      type: ['object', 'null'],
    }),
    may: Type.Array(OneOf(RIGHTS, { description: 'A right.' }), {
      examples: [['read', 'operate']],
      description:
        'What the caller may do: see what is there (`read`); run rooms, conferences, recordings and streams (`operate`); decide about users and API tokens (`administer`).',
    }),
    csrf_token: Nullable(
      Type.String({
        examples: ['k2n1Vw0mB3qk7H3bqU0T6o5c8fYz1l2QmJr4xSgA9dE'],
        description: 'For the header `X-CSRF-Token` of changes; null for an API token.',
      }),
    ),
  },
  { title: 'Me', description: 'Who the caller is.' },
)
export type Me = Static<typeof Me>

export const SignInBody = Type.Object(
  {
    name: Text({
      minLength: 1,
      maxLength: 100,
      examples: ['ada@example.org'],
      description: 'Name of the user.',
    }),
    password: Password('Password of the user.'),
    project_id: Optional(
      Text({
        maxLength: 100,
        examples: ['5e2f0c1a-7c3b-4a55-9a0e-0d2c8e6b1f42'],
        description: 'The project, where several have a user of this name.',
      }),
    ),
  },
  { title: 'SignIn', description: 'Who signs in.' },
)

export const PasswordBody = Type.Object(
  {
    current_password: Password('The present password.'),
    password: Password('The new password, of at least 12 characters.'),
  },
  { title: 'ChangePassword', description: 'A new password for oneself.' },
)

export const UserSession = Answer(
  {
    id: Uuid({ description: 'Id of the session.' }),
    user_agent: Type.String({ examples: ['Mozilla/5.0'], description: 'What the browser says it is.' }),
    is_current: Type.Boolean({ description: 'Whether it is the session of this request.' }),
    last_used_at: Timestamp({ description: 'When it was used last, to the minute.' }),
    expires_at: Timestamp({ description: 'When it ends at the latest.' }),
    created_at: Timestamp({ description: 'When the user signed in.' }),
  },
  { title: 'UserSession', description: 'A browser in which a user is signed in.' },
)

export const UserSessions = Answer(
  { data: Type.Array(UserSession, { description: 'The one used last comes first.' }) },
  { title: 'UserSessions', description: 'The sessions of a user.' },
)

export const SignInLink = Answer(
  {
    project: ProjectName,
    name: Nullable(UserName('Name of the invited user; null for an owner, who chooses it.')),
    role: RoleField('Role of the invited user.'),
  },
  { title: 'SignInLink', description: 'What a one-time link invites to.' },
)

export const AcceptSignInLinkBody = Type.Object(
  {
    name: Optional(UserName('The name to sign in with, for an owner who has none yet.')),
    password: Password('The password to sign in with, of at least 12 characters.'),
  },
  { title: 'AcceptSignInLink', description: 'With what the user will sign in.' },
)
