import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { UserSessions } from '../../accounts/user-sessions.ts'
import type { DashboardNews } from '../../dashboard/news/news.ts'
import type { Topic } from '../../dashboard/news/news-frames.ts'
import { callerOf } from '../conventions/authentication.ts'
import { cookieOf } from '../conventions/session-cookie.ts'

/** Ids are shorter. */
const ID_MAX_LENGTH = 40

/**
 * `GET /events`: an event stream (server-sent events) of what changes in the project. It is no operation of the API
 * document, which has no words for an answer that does not end: docs/dashboard.md describes it.
 */
export function newsRoute(
  app: FastifyInstance,
  news: DashboardNews,
  sessions: Pick<UserSessions, 'isGood'>,
): void {
  app.get('/events', { schema: { hide: true } }, async (request, reply) => {
    const { projectId, scopes } = callerOf(request)
    const lastId = request.headers['last-event-id']
    const known = typeof lastId === 'string' && lastId.length <= ID_MAX_LENGTH ? lastId : null
    const reader = news.open(projectId, known, scopes.includes('management'))
    // It may have gone before its answer began.
    reply.raw.once('close', () => reader.destroy())
    endWithSession(request, reader, sessions)
    return reply.type('text/event-stream; charset=utf-8').header('x-accel-buffering', 'no').send(reader)
  })
}

/** How long an event stream may go on when its session has ended, in milliseconds. */
const SESSION_CHECK_MS = 5000

/** Ends the event stream of a user who was signed out. The page then finds out that it has to sign in again. */
function endWithSession(
  request: FastifyRequest,
  reader: Readable,
  sessions: Pick<UserSessions, 'isGood'>,
): void {
  const secret = cookieOf(request)
  if (!callerOf(request).person || secret === undefined) return
  const check = async () => {
    // While the database is away, nobody is signed out.
    if (!(await sessions.isGood(secret).catch(() => true))) reader.destroy()
  }
  const checking = setInterval(() => void check(), SESSION_CHECK_MS).unref()
  reader.once('close', () => clearInterval(checking))
}

const TOPIC_OF: Readonly<Record<string, Topic>> = {
  rooms: 'rooms',
  conferences: 'rooms',
  conference_tokens: 'rooms',
  room_recordings: 'recordings',
  streams: 'streams',
}

/** Tells the open dashboards what requests of the API change. Call it before the families are registered. */
export function useChangeNews(app: FastifyInstance, news: Pick<DashboardNews, 'changed'>): void {
  app.addHook('onResponse', (request, reply, done) => {
    const topic = request.method === 'GET' ? null : topicOf(request.url)
    if (topic && request.caller && reply.statusCode < 300) news.changed(request.caller.projectId, topic)
    done()
  })
}

/** @returns null if no list of the dashboard depends on it */
function topicOf(url: string): Topic | null {
  const [, collection = '', below = ''] = /^\/api\/video\/(\w+)(?:\/[^/?]+\/(\w+))?/.exec(url) ?? []
  return (below === 'streams' ? 'streams' : TOPIC_OF[collection]) ?? null
}
