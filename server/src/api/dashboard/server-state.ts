import type { FastifyInstance } from 'fastify'
import type { Backups as BackupsService } from '../../dashboard/server/backups.ts'
import { nothingLeft } from '../../resources/bodies.ts'
import { formatMoment } from '../../resources/dates.ts'
import { ServerLogLines, ServerLogQuery } from '../../resources/server-log.ts'
import { Backups, Configuration, Drain, ServerVersion, SetDrainBody } from '../../resources/server-state.ts'
import type { Services } from '../../services.ts'
import { actorOf, callerOf } from '../conventions/authentication.ts'
import { type Operation, operation } from '../conventions/operation.ts'
import { answerEventStream } from './event-streams.ts'
import { checkOperator } from './operator-only.ts'

const tag = 'Dashboard'
const right = 'administer'
const ours = 'For the first project of the server. An addition of Parley.'

/** `/server/…`: what the operator sees and does without a shell. */
export const serverStateOperations: Operation[] = [
  operation(
    {
      route: 'GET /server/version',
      operationId: 'getServerVersion',
      summary: 'Read the version',
      description: `What runs, and since when. ${ours}`,
      tag,
      right,
      answer: ServerVersion,
    },
    async ({ projectId }, services) => {
      checkOperator(projectId, services)
      const { version, node, platform, startedAt } = services.operatorDesk.version
      return { version, node, platform, started_at: formatMoment(startedAt) }
    },
  ),

  operation(
    {
      route: 'GET /server/configuration',
      operationId: 'getConfiguration',
      summary: 'Read the configuration',
      description: `The options as they were read at the start, where each came from, and no secrets. ${ours}`,
      tag,
      right,
      answer: Configuration,
    },
    async ({ projectId }, services) => {
      checkOperator(projectId, services)
      return services.operatorDesk.configuration
    },
  ),

  operation(
    {
      route: 'GET /server/log',
      operationId: 'listLogLines',
      summary: 'Read the end of the log',
      description: `The last 1000 lines that the server process wrote, without secrets. Those of the media workers are on its standard output alone. ${ours}`,
      tag,
      right,
      query: ServerLogQuery,
      answer: ServerLogLines,
    },
    async ({ projectId, query }, services) => {
      checkOperator(projectId, services)
      return { data: services.serverLog.list(query.level ?? 'trace', LINES_MAX) }
    },
  ),

  operation(
    {
      route: 'GET /server/drain',
      operationId: 'getDrain',
      summary: 'Read whether the server is being emptied',
      description: `Whether new sessions may begin, and how many run. ${ours}`,
      tag,
      right,
      answer: Drain,
    },
    async ({ projectId }, services) => {
      checkOperator(projectId, services)
      return services.operatorDesk.drain
    },
  ),

  operation(
    {
      route: 'PUT /server/drain',
      operationId: 'setDrain',
      summary: 'Empty the server, or end that',
      description: `While it is emptied no session begins: whoever would begin one is refused. Sessions that run go on, and people may join them. A restart ends it. ${ours}`,
      tag,
      right,
      body: SetDrainBody,
      answer: Drain,
    },
    async ({ projectId, caller, body }, services) => {
      checkOperator(projectId, services)
      const { draining, ...rest } = body
      nothingLeft(rest)
      await services.operatorDesk.setDraining(draining, actorOf(caller))
      return services.operatorDesk.drain
    },
  ),

  operation(
    {
      route: 'GET /server/backups',
      operationId: 'listBackups',
      summary: 'List backups',
      description: `The backups in the folder of the server, and the one that is being made. ${ours}`,
      tag,
      right,
      answer: Backups,
    },
    async ({ projectId }, services) => {
      checkOperator(projectId, services)
      return showBackups(services.operatorDesk.backups)
    },
  ),

  operation(
    {
      route: 'POST /server/backups',
      operationId: 'startBackup',
      summary: 'Back up now',
      description: `Begins a backup as \`parley backup\` makes it, unless one is being made. ${ours}`,
      tag,
      right,
      answer: Backups,
    },
    async ({ projectId, caller }, services) => {
      checkOperator(projectId, services)
      await services.operatorDesk.backUp(actorOf(caller))
      return showBackups(services.operatorDesk.backups)
    },
  ),
]

/** Lines of the log in one answer. */
const LINES_MAX = 1000

async function showBackups(service: BackupsService) {
  const { folder, freeBytes, running, copiedBytes, problem, backups } = await service.state()
  return {
    folder,
    free_bytes: freeBytes,
    running,
    copied_bytes: copiedBytes,
    problem,
    data: backups.map(({ name, createdAt, bytes, version }) => ({
      name,
      created_at: createdAt,
      bytes,
      version,
    })),
  }
}

/**
 * `GET /server/log/live`: an event stream of the lines that come from now on. It is no operation of the API document,
 * which has no words for an answer that does not end: docs/dashboard.md describes it.
 */
export function liveLogRoute(app: FastifyInstance, services: Services): void {
  const options = { schema: { hide: true }, config: { right } } as const
  app.get('/server/log/live', options, async (request, reply) => {
    checkOperator(callerOf(request).projectId, services)
    return answerEventStream(request, reply, services.serverLog.follow(), services.userSessions)
  })
}
