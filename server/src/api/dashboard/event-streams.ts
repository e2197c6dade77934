import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { UserSessions } from '../../accounts/user-sessions.ts'
import { callerOf } from '../conventions/authentication.ts'
import { cookieOf } from '../conventions/session-cookie.ts'

/** How long an event stream may go on when its session has ended, in milliseconds. */
const SESSION_CHECK_MS = 5000

/** Answers with an event stream (server-sent events), which ends when its client goes or is signed out. */
export function answerEventStream(
  request: FastifyRequest,
  reply: FastifyReply,
  reader: Readable,
  sessions: Pick<UserSessions, 'isGood'>,
): FastifyReply {
  // It may have gone before its answer began.
  reply.raw.once('close', () => reader.destroy())
  endWithSession(request, reader, sessions)
  return reply.type('text/event-stream; charset=utf-8').header('x-accel-buffering', 'no').send(reader)
}

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
