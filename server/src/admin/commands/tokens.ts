import { readConfig } from '../../config.ts'
import { OperatorError } from '../../errors/operator-error.ts'
import { isUuid } from '../../ids.ts'
import {
  type ApiTokens,
  createApiTokens,
  type FreshApiToken,
  type ShownApiToken,
} from '../../projects/api-tokens.ts'
import { ALL_SCOPES } from '../../projects/scopes.ts'
import { createRoomTokens } from '../../rooms/room-tokens.ts'
import { presentServerSecrets } from '../../secrets/server-secrets.ts'
import type { Arguments, Command, CommandContext } from '../command.ts'
import { columns, isoTime } from '../help.ts'
import { withStorage } from '../with-storage.ts'

function withTokens<T>(
  { env, clock, actor }: CommandContext,
  args: Arguments,
  work: (tokens: ApiTokens, projectId: string) => Promise<T>,
): Promise<T> {
  return withStorage(readConfig(env), async (storage) => {
    const projectId = args.text('project') ?? ''
    if (!(await storage.projects.find(projectId)))
      throw new OperatorError(`There is no project ${projectId}.`)
    return work(createApiTokens({ storage, clock, actor }), projectId)
  })
}

const project = { value: 'id', doc: 'The project that it speaks for.', required: true }
const tokenId = { name: 'token-id', doc: 'The token, as "parley tokens list" shows it.' }
const json = { doc: 'Print JSON.' }

/** A token in the format of the API. */
const shown = (token: ShownApiToken) => ({
  ...token,
  last_used_at: token.last_used_at === null ? null : isoTime(token.last_used_at),
  created_at: isoTime(token.created_at),
})

/** Prints only the token to the output, so that a script can read it. Explanations for people are notes. */
function tell({ say, note }: CommandContext, args: Arguments, { token, secret }: FreshApiToken): undefined {
  if (args.has('json')) {
    say(JSON.stringify({ ...shown(token), token: secret }))
    return
  }
  note(`Token ${token.id} (${token.scopes.join(', ')}), shown only now:`)
  say(secret)
}

const create: Command = {
  name: 'tokens create',
  summary: 'Create an API token.',
  options: {
    project,
    scopes: {
      value: 'list',
      doc: `What it may be used for, separated by commas: ${ALL_SCOPES.join(', ')}; or "all".`,
      required: true,
    },
    name: { value: 'text', doc: 'What it is for, in your words.' },
    json,
  },
  async run(context, args) {
    const named = args.text('scopes') ?? ''
    const scopes = named === 'all' ? ALL_SCOPES : named.split(',').map((scope) => scope.trim())
    const name = args.text('name') ?? 'token'
    return tell(
      context,
      args,
      await withTokens(context, args, (tokens, projectId) => tokens.create(projectId, name, scopes)),
    )
  },
}

const list: Command = {
  name: 'tokens list',
  summary: 'List the API tokens of a project, oldest first. Only their hashes are stored.',
  options: { project, json },
  async run(context, args) {
    const found = await withTokens(context, args, (tokens, projectId) => tokens.list(projectId))
    if (args.has('json')) {
      context.say(JSON.stringify(found.map(shown)))
      return undefined
    }
    const time = (ms: number | null) => (ms === null ? 'never' : isoTime(ms))
    const rows = found.map(({ id, created_at, last_used_at, scopes, name }) => {
      const all = scopes.length === ALL_SCOPES.length
      return [id, time(created_at), time(last_used_at), all ? 'all' : scopes.join(','), name]
    })
    context.say(columns([['ID', 'CREATED', 'LAST USED', 'SCOPES', 'NAME'], ...rows]))
    return undefined
  },
}

const rotate: Command = {
  name: 'tokens rotate',
  summary: 'Give an API token a new secret. The old one stops working at once.',
  positionals: [tokenId],
  options: { project, json },
  async run(context, args) {
    const [id = ''] = args.positionals
    const fresh = await withTokens(context, args, (tokens, projectId) => tokens.rotate(projectId, id))
    return tell(context, args, fresh)
  },
}

/**
 * Revokes a room token in storage. A running server notices within a few seconds and removes the members who joined
 * with the token.
 */
async function revokeRoomToken({ env, clock, actor }: CommandContext, args: Arguments): Promise<string> {
  const config = readConfig(env)
  const [text = ''] = args.positionals
  return withStorage(config, async (storage) => {
    const projectId = args.text('project') ?? ''
    if (!(await storage.projects.find(projectId)))
      throw new OperatorError(`There is no project ${projectId}.`)
    const key = presentServerSecrets(config)?.roomTokenKey
    if (!key) {
      throw new OperatorError(
        `There is no secrets/root.key in ${config.dataDir}. Name the server's data folder by PARLEY_DATA_DIR or --data-dir.`,
      )
    }
    const reference = isUuid(text) ? { id: text } : { token: text }
    return createRoomTokens({ storage, clock, key }).revoke(projectId, reference, actor)
  })
}

const revokeRoom: Command = {
  name: 'tokens revoke-room',
  summary: 'Make a room token void before it expires. Who is in by it is put out within seconds.',
  positionals: [{ name: 'room-token', doc: 'The token, or its id: the claim "jti".' }],
  options: { project, json },
  async run(context, args) {
    const id = await revokeRoomToken(context, args)
    if (args.has('json')) context.say(JSON.stringify({ id, revoked: true }))
    else context.note(`Revoked room token ${id}.`)
    return undefined
  },
}

const revoke: Command = {
  name: 'tokens revoke',
  summary: 'Make an API token stop working at once.',
  positionals: [tokenId],
  options: { project, json },
  async run(context, args) {
    const [id = ''] = args.positionals
    await withTokens(context, args, (tokens, projectId) => tokens.revoke(projectId, id))
    if (args.has('json')) context.say(JSON.stringify({ id, revoked: true }))
    else context.note(`Revoked ${id}.`)
    return undefined
  },
}

export const tokenCommands: readonly Command[] = [create, list, rotate, revoke, revokeRoom]
