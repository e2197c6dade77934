import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { Refusal } from '../../errors/refusal.ts'
import type { RoomTokenClaims } from '../../rooms/room-token.ts'
import { isDoorkeeper, mustKnock } from '../../rooms/waiting-room/must-knock.ts'
import type { SignInOptions } from '../conventions/authentication.ts'
import { tokenHolder } from './token-holder.ts'

const KnockId = Type.Object({ id: Type.String({ pattern: '^[0-9a-f]{32}$' }) })
const KnockBody = Type.Object({ name: Type.String({ maxLength: 400 }) })
const AnswerBody = Type.Object({ let_in: Type.Boolean() })
const ListQuery = Type.Object({ known: Type.Optional(Type.Integer({ minimum: 0, default: 0 })) })

/** As many as a room token may give. */
const MOST_NAME_CHARACTERS = 100
/** Whoever knocks has no seat yet that could be banned. */
const NOBODY = { clientId: '', browserId: null }

/**
 * The waiting room, for the server's own pages; see `pageFactRoutes`. Every request has the token of a conference or of a
 * room as bearer token.
 */
export async function knockRoutes(app: FastifyInstance, options: SignInOptions): Promise<void> {
  const { waitingRooms, sessions } = options.services
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('cache-control', 'no-store')
  })
  /** @throws Refusal for a token that does not let in, or not now */
  async function holderAndRoom(request: FastifyRequest, reply: FastifyReply) {
    const { claims, isExpired } = await tokenHolder(request, reply, options)
    if (isExpired) throw new Refusal('token_expired')
    return { claims, room: await sessions.admit(claims, NOBODY) }
  }
  async function doorkeeper(request: FastifyRequest, reply: FastifyReply): Promise<RoomTokenClaims> {
    const { claims } = await tokenHolder(request, reply, options)
    if (!isDoorkeeper(claims)) throw new Refusal('not_permitted')
    return claims
  }

  app.post<{ Body: Static<typeof KnockBody> }>(
    '/page/knocks',
    { schema: { hide: true, body: KnockBody } },
    async (request, reply) => {
      const { claims, room } = await holderAndRoom(request, reply)
      if (!room || !mustKnock(room, claims)) return { id: '', state: 'let-in', pass: null }
      const id = await waitingRooms.knock(claims, nameOf(claims.user_name ?? request.body.name))
      return { id, state: 'waiting' }
    },
  )
  app.get<{ Params: Static<typeof KnockId> }>(
    '/page/knocks/:id',
    { schema: { hide: true, params: KnockId } },
    async (request, reply) => {
      const { claims } = await holderAndRoom(request, reply)
      const answer = await waitingRooms.answerTo(claims, request.params.id)
      if (!answer) throw new Refusal('provided_id_is_unrecognized', { attribute: 'id' })
      return answer
    },
  )
  app.delete<{ Params: Static<typeof KnockId> }>(
    '/page/knocks/:id',
    { schema: { hide: true, params: KnockId } },
    async (request, reply) => {
      const { claims } = await tokenHolder(request, reply, options)
      await waitingRooms.leave(claims, request.params.id)
      return reply.code(204).send()
    },
  )
  app.get<{ Querystring: Static<typeof ListQuery> }>(
    '/page/knocks',
    { schema: { hide: true, querystring: ListQuery } },
    async (request, reply) => {
      const claims = await doorkeeper(request, reply)
      const room = await sessions.admit(claims, NOBODY)
      // Nobody waits before such a room, so its pages need not ask again.
      if (!room?.waiting_room) return { version: 0, knocks: [] }
      const { version, knocks } = await waitingRooms.list(claims, request.query.known ?? 0)
      return { version, knocks: knocks.map((one) => ({ ...one, since: new Date(one.since).toISOString() })) }
    },
  )
  app.post<{ Params: Static<typeof KnockId>; Body: Static<typeof AnswerBody> }>(
    '/page/knocks/:id/answer',
    { schema: { hide: true, params: KnockId, body: AnswerBody } },
    async (request, reply) => {
      const claims = await doorkeeper(request, reply)
      await waitingRooms.decide(claims, request.params.id, request.body.let_in)
      return reply.code(204).send()
    },
  )
}

/** On one line, and not longer than a name may be. */
function nameOf(given: string): string {
  const name = given.replace(/[\p{Cc}\p{Cs}\s]+/gu, ' ').trim()
  return [...name].slice(0, MOST_NAME_CHARACTERS).join('')
}
