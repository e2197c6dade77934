import { pino } from 'pino'
import { readConfig } from '../../config.ts'
import { OperatorError } from '../../errors/operator-error.ts'
import { readOpenRooms } from '../../fabric/open-rooms.ts'
import { createProjects, type Projects } from '../../projects/projects.ts'
import { createRecordingRemoval } from '../../rooms/recording-removal.ts'
import { recordingsFolder } from '../../storage/data-folder.ts'
import type { ProjectRecord } from '../../storage/records.ts'
import type { Command, CommandContext } from '../command.ts'
import { columns, isoTime } from '../help.ts'
import { withStorage } from '../with-storage.ts'
import { withStoredMedia } from '../with-stored-media.ts'
import { embedOriginsCommand } from './embed-origins.ts'
import { recordingQuotaCommand } from './recording-quota.ts'
import { recordingRetentionCommand } from './recording-retention.ts'

function withProjects<T>(
  { env, clock, actor }: CommandContext,
  work: (projects: Projects) => Promise<T>,
  options?: { mayCreate: boolean },
): Promise<T> {
  const config = readConfig(env)
  const folder = recordingsFolder(config.dataDir)
  const here = { node: config.nodeName, isAlone: config.natsUrls === null }
  const log = pino({ level: 'silent' })
  return withStorage(
    config,
    (storage) =>
      withStoredMedia(config, (stored) =>
        work(
          createProjects({
            storage,
            clock,
            actor,
            removal: createRecordingRemoval({ storage, clock, log, folder, stored, here }),
          }),
        ),
      ),
    options,
  )
}

const json = { doc: 'Print JSON.' }
const projectId = { name: 'project-id', doc: 'The project, as "parley projects list" shows it.' }

/** A project in the format of the API. */
const shown = (project: ProjectRecord) => ({ ...project, created_at: isoTime(project.created_at) })

/** Warns about a space without effect: a space is a host below the service domain, which is not configured. */
function noteUselessSpace({ env, note }: CommandContext, { space }: ProjectRecord): void {
  if (space === null || readConfig(env).serviceDomain !== null) return
  note('There are no spaces yet: set PARLEY_SERVICE_DOMAIN for the server, and its space counts.')
}

const create: Command = {
  name: 'projects create',
  summary: 'Create a project.',
  details: 'Its API tokens are made with "parley tokens create".',
  options: {
    name: { value: 'text', doc: 'What people call it.', required: true },
    id: { value: 'id', doc: 'Its id, where it is not to be a new UUID.' },
    space: { value: 'space', doc: 'Its space; outside of all spaces unless given.' },
    json,
  },
  async run(context, args) {
    const project = await withProjects(
      context,
      (projects) => projects.create(args.text('name') ?? '', args.text('id'), args.text('space')),
      { mayCreate: true },
    )
    context.say(args.has('json') ? JSON.stringify(shown(project)) : project.id)
    noteUselessSpace(context, project)
    return undefined
  },
}

const list: Command = {
  name: 'projects list',
  summary: 'List the projects, oldest first.',
  options: { json },
  async run(context, args) {
    const projects = await withProjects(context, (all) => all.list())
    if (args.has('json')) context.say(JSON.stringify(projects.map(shown)))
    else {
      const rows = projects.map(({ id, name, space, created_at }) => [
        id,
        isoTime(created_at),
        space ?? '-',
        name,
      ])
      context.say(columns([['ID', 'CREATED', 'SPACE', 'NAME'], ...rows]))
    }
    return undefined
  },
}

const move: Command = {
  name: 'projects move',
  summary: 'Put a project into a space, or out of all spaces.',
  details: 'From then on its credentials work at the host of that space and nowhere else.',
  positionals: [projectId],
  options: { space: { value: 'space', doc: 'The space; outside of all spaces unless given.' }, json },
  async run(context, args) {
    const [id = ''] = args.positionals
    const moved = await withProjects(context, async (projects) => {
      if (!(await projects.list()).some((one) => one.id === id))
        throw new OperatorError(`There is no project ${id}.`)
      return projects.move(id, args.text('space') ?? null)
    })
    if (args.has('json')) context.say(JSON.stringify(shown(moved)))
    else context.note(`${id} is in ${moved.space === null ? 'no space' : `the space ${moved.space}`}.`)
    noteUselessSpace(context, moved)
    return undefined
  },
}

const openRooms: Command = {
  name: 'projects open-rooms',
  summary: 'Choose the rooms and conferences that end users of a project see.',
  details:
    'Subscribers, and the guests that they invite, see no others by their own tokens. It counts at once. Server to\n' +
    'server, the project sees all of them as before; whoever gets a room token can join.',
  positionals: [projectId],
  options: {
    rooms: {
      value: 'list',
      doc: 'all (as in a new project), none, or names separated by commas: lobby,public-*',
      required: true,
    },
    json,
  },
  async run(context, args) {
    const [id = ''] = args.positionals
    const rooms = readOpenRooms(args.text('rooms') ?? '')
    const changed = await withProjects(context, (projects) => projects.openRooms(id, rooms))
    if (args.has('json')) context.say(JSON.stringify(shown(changed)))
    else
      context.note(
        `Subscribers of ${id} see ${rooms === null ? 'all rooms' : rooms.join(', ') || 'no rooms'}.`,
      )
    return undefined
  },
}

const remove: Command = {
  name: 'projects delete',
  summary: 'Delete a project with its tokens, rooms, sessions, recordings and files.',
  details: 'Not while a session of it is in progress. What is deleted is gone, save from a backup.',
  positionals: [projectId],
  options: { yes: { doc: 'Really delete it.' }, json },
  async run(context, args) {
    const [id = ''] = args.positionals
    await withProjects(context, async (projects) => {
      const project = (await projects.list()).find((one) => one.id === id)
      if (!project) throw new OperatorError(`There is no project ${id}.`)
      if (!args.has('yes')) {
        throw new OperatorError(
          `This deletes the project "${project.name}" and all that is in it. Add --yes if so.`,
        )
      }
      const inProgress = await projects.sessionsInProgress(id)
      if (inProgress > 0) {
        throw new OperatorError(
          `The project has sessions in progress (${inProgress}). Delete it when they have ended.`,
        )
      }
      await projects.delete(id)
    })
    if (args.has('json')) context.say(JSON.stringify({ id, deleted: true }))
    else context.note(`Deleted ${id}.`)
    return undefined
  },
}

export const projectCommands: readonly Command[] = [
  create,
  list,
  move,
  openRooms,
  embedOriginsCommand,
  recordingRetentionCommand,
  recordingQuotaCommand,
  remove,
]
