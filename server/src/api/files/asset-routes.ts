import { access } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ASSET_OF_NODE_PATH, type AssetsElsewhere } from '../../cluster/pipes/assets-elsewhere.ts'
import { PROOF_HEADER } from '../../cluster/pipes/link-proof.ts'
import { Refusal } from '../../errors/refusal.ts'
import type { RateLimits } from '../conventions/rate-limits.ts'

/** Folder of the built assets, below that of the pages and in their addresses. */
export const ASSETS = 'assets'
/** A file name as the build makes them. */
const ASSET_NAME = /^[\w-][\w.-]{0,199}$/
/** What the answer of another node says about its content. */
const ABOUT_CONTENT = ['cache-control', 'content-encoding', 'content-length', 'content-type', 'etag', 'vary']

export interface AssetOptions {
  folder: string
  elsewhere: AssetsElsewhere
  limits: Pick<RateLimits, 'admitNode'>
}

/**
 * Serves the assets of the pages of a cluster. While an upgrade goes from node to node, a page that came from one node may ask
 * another one for its assets, which has those of another version. The static files of `folder` are registered already.
 */
export function assetRoutes(app: FastifyInstance, { folder, elsewhere, limits }: AssetOptions): void {
  const isHere = (name: string) =>
    access(join(folder, ASSETS, name)).then(
      () => true,
      () => false,
    )

  app.get<{ Params: { name: string } }>(
    `/${ASSETS}/:name`,
    { schema: { hide: true } },
    async (request, reply) => {
      const { name } = request.params
      if (!ASSET_NAME.test(name)) return reply.callNotFound()
      if (await isHere(name)) return reply.sendFile(join(ASSETS, name))
      return (await fromOtherNode(name, request, reply, elsewhere)) ?? reply.callNotFound()
    },
  )

  app.get(ASSET_OF_NODE_PATH, { schema: { hide: true } }, async (request, reply) => {
    const asked = elsewhere.admit(request.raw)
    if (!asked) throw new Refusal('file_not_found')
    limits.admitNode(request)
    reply.header(PROOF_HEADER, asked.proof)
    if (!ASSET_NAME.test(asked.name) || !(await isHere(asked.name))) throw new Refusal('file_not_found')
    return reply.sendFile(join(ASSETS, asked.name))
  })
}

/** @returns null if no other node has it */
async function fromOtherNode(
  name: string,
  { method, headers }: FastifyRequest,
  reply: FastifyReply,
  elsewhere: AssetsElsewhere,
): Promise<FastifyReply | null> {
  const encodings = headers['accept-encoding']
  const answer = await elsewhere.fetch({
    name,
    method: method === 'HEAD' ? 'HEAD' : 'GET',
    headers: encodings === undefined ? {} : { 'accept-encoding': encodings },
  })
  if (!answer) return null
  for (const header of ABOUT_CONTENT) {
    const value = answer.headers[header]
    if (value !== undefined) reply.header(header, value)
  }
  return reply.send(answer)
}
