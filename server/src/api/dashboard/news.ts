import type { FastifyInstance } from 'fastify'
import type { DashboardNews } from '../../dashboard/news/news.ts'
import type { Topic } from '../../dashboard/news/news-frames.ts'
import type { Services } from '../../services.ts'
import { callerOf } from '../conventions/authentication.ts'
import { answerEventStream } from './event-streams.ts'

type NewsServices = Pick<Services, 'dashboardNews' | 'userSessions' | 'operatorProjectId'>

/** Ids are shorter. */
const ID_MAX_LENGTH = 40

/**
 * `GET /events`: an event stream (server-sent events) of what changes in the project. It is no operation of the API
 * document, which has no words for an answer that does not end: docs/dashboard.md describes it.
 */
export function newsRoute(
  app: FastifyInstance,
  { dashboardNews, userSessions, operatorProjectId }: NewsServices,
): void {
  app.get('/events', { schema: { hide: true } }, async (request, reply) => {
    const { projectId, scopes } = callerOf(request)
    const lastId = request.headers['last-event-id']
    const known = typeof lastId === 'string' && lastId.length <= ID_MAX_LENGTH ? lastId : null
    const operates = scopes.includes('management') && projectId === operatorProjectId
    const reader = dashboardNews.open(projectId, known, operates)
    return answerEventStream(request, reply, reader, userSessions)
  })
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
