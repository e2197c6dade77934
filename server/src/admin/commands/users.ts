import { type FreshInvitation, invitationPath } from '../../accounts/invitation.ts'
import { createUsers, type Users } from '../../accounts/users.ts'
import { type Config, readConfig } from '../../config.ts'
import { OperatorError } from '../../errors/operator-error.ts'
import { ROLES, type Role } from '../../resources/roles.ts'
import type { UserRecord } from '../../storage/records.ts'
import type { Storage } from '../../storage/storage.ts'
import { hostInUrl } from '../../tls/listening.ts'
import { type Arguments, type Command, type CommandContext, UsageError } from '../command.ts'
import { columns, isoTime } from '../help.ts'
import { withStorage } from '../with-storage.ts'

const project = { value: 'id', doc: 'The project. It may be left out while there is only one.' }
const json = { doc: 'Print JSON.' }
const userName = { name: 'name', doc: 'The user, as "parley users list" shows it.' }
const role = { value: 'role', doc: `${ROLES.join(', ')}.`, required: true }

async function withUsers<T>(
  { env, clock }: CommandContext,
  args: Arguments,
  work: (users: Users, projectId: string) => Promise<T>,
): Promise<T> {
  return withStorage(readConfig(env), async (storage) =>
    work(createUsers({ storage, clock }), await projectOf(storage, args)),
  )
}

/** @throws OperatorError when the project is not there, or not named although there are several */
async function projectOf({ projects }: Storage, args: Arguments): Promise<string> {
  const named = args.text('project')
  if (named !== undefined) {
    if (await projects.find(named)) return named
    throw new OperatorError(`There is no project ${named}.`)
  }
  const [only, ...others] = await projects.list()
  if (only && others.length === 0) return only.id
  throw new OperatorError('Name the project by --project: "parley projects list" shows them.')
}

/** @throws UsageError */
function readRole(args: Arguments): Role {
  const found = ROLES.find((one) => one === args.text('role'))
  if (found) return found
  throw new UsageError(`--role must be one of ${ROLES.join(', ')}.`)
}

/** Where people reach the server, as far as the configuration says. */
const baseUrl = ({ publicUrl, host, port }: Config): string =>
  publicUrl ?? `https://${hostInUrl(host)}${port === 443 ? '' : `:${port}`}`

/** Prints only the link to the output, so that a script can send it. Explanations for people are notes. */
function tellLink(
  context: CommandContext,
  args: Arguments,
  invited: FreshInvitation & Partial<UserRecord>,
): undefined {
  const link = baseUrl(readConfig(context.env)) + invitationPath(invited.secret, invited.name === undefined)
  const expires = isoTime(invited.expires_at)
  if (args.has('json')) {
    const { id = null, name = null } = invited
    context.say(JSON.stringify({ id, name, role: invited.role ?? 'owner', link, link_expires_at: expires }))
    return undefined
  }
  context.note(`Open this link to choose a password. It works once, until ${expires}:`)
  context.say(link)
  return undefined
}

const add: Command = {
  name: 'users add',
  summary: 'Add a person who may sign in. Prints a one-time link for the password.',
  positionals: [{ name: 'name', doc: 'What the person signs in with, such as an e-mail address.' }],
  options: { project, role, json },
  async run(context, args) {
    const [name = ''] = args.positionals
    const wanted = readRole(args)
    const work = (users: Users, id: string) => users.add(id, name, wanted, context.actor)
    return tellLink(context, args, await withUsers(context, args, work))
  },
}

const invite: Command = {
  name: 'users invite',
  summary: 'Print a new one-time link for an owner, who chooses name and password. Earlier ones are void.',
  options: { project, owner: { doc: 'Needed, since others are added by name: "parley users add".' }, json },
  async run(context, args) {
    if (!args.has('owner'))
      throw new UsageError('Say --owner, or add a user by name with "parley users add".')
    const work = (users: Users, id: string) => users.inviteOwner(id, context.actor)
    return tellLink(context, args, await withUsers(context, args, work))
  },
}

const list: Command = {
  name: 'users list',
  summary: 'List the users of a project, oldest first.',
  options: { project, json },
  async run(context, args) {
    const users = await withUsers(context, args, (all, id) => all.list(id))
    const shown = users.map(({ id, name, role, identity, password_hash, last_sign_in_at, created_at }) => ({
      id,
      name,
      role,
      signs_in_with: identity !== null ? 'openid' : password_hash === null ? 'invited' : 'password',
      last_sign_in_at: last_sign_in_at === null ? null : isoTime(last_sign_in_at),
      created_at: isoTime(created_at),
    }))
    if (args.has('json')) {
      context.say(JSON.stringify(shown))
      return undefined
    }
    const rows = shown.map((user) => [
      user.name,
      user.role,
      user.signs_in_with,
      user.last_sign_in_at ?? 'never',
      user.created_at,
    ])
    context.say(columns([['NAME', 'ROLE', 'SIGNS IN WITH', 'LAST SIGN-IN', 'CREATED'], ...rows]))
    return undefined
  },
}

const setRole: Command = {
  name: 'users role',
  summary: 'Give a user another role. The user is signed out everywhere.',
  positionals: [userName],
  options: { project, role, json },
  async run(context, args) {
    const [name = ''] = args.positionals
    const wanted = readRole(args)
    const changed = await withUsers(context, args, async (users, id) =>
      users.setRole(id, (await users.getByName(id, name)).id, wanted, context.actor),
    )
    if (args.has('json')) context.say(JSON.stringify({ name: changed.name, role: changed.role }))
    else context.note(`${changed.name} is ${changed.role} now.`)
    return undefined
  },
}

const reset: Command = {
  name: 'users reset',
  summary: "Make a user's password void. Prints a one-time link for a new one.",
  positionals: [userName],
  options: { project, json },
  async run(context, args) {
    const [name = ''] = args.positionals
    const work = async (users: Users, id: string) =>
      users.reset(id, (await users.getByName(id, name)).id, context.actor)
    return tellLink(context, args, await withUsers(context, args, work))
  },
}

const remove: Command = {
  name: 'users remove',
  summary: 'Remove a user, who is signed out everywhere at once.',
  positionals: [userName],
  options: { project, json },
  async run(context, args) {
    const [name = ''] = args.positionals
    await withUsers(context, args, async (users, id) =>
      users.remove(id, (await users.getByName(id, name)).id, context.actor),
    )
    if (args.has('json')) context.say(JSON.stringify({ name, removed: true }))
    else context.note(`Removed ${name}.`)
    return undefined
  },
}

export const userCommands: readonly Command[] = [add, list, setRole, reset, remove, invite]
