import type { FastifyRequest } from 'fastify'
import { ParleyError } from '../../errors/parley-error.ts'
import type { Address as AddressRow, AddressViewer } from '../../fabric/addresses.ts'
import { IdParams } from '../../resources/building-blocks.ts'
import { formatMoment } from '../../resources/dates.ts'
import { errorAnswers } from '../../resources/error.ts'
import { Address, ListAddressesQuery } from '../../resources/fabric.ts'
import { Page } from '../../resources/paging.ts'
import { callerOf } from '../conventions/authentication.ts'
import type { Paging } from '../conventions/paging.ts'
import type { TypedApp } from '../conventions/typed-app.ts'
import type { FabricContext } from './fabric-routes.ts'

/** `/addresses`: two operations. End users see what they were granted, the server of a project all of it. */
export function addressRoutes(app: TypedApp, { addresses, originOf }: FabricContext, paging: Paging): void {
  app.get(
    '/addresses',
    {
      schema: {
        operationId: 'listAddresses',
        summary: 'List addresses',
        description:
          'What can be called: rooms, conferences and subscribers, newest first. A subscriber sees itself and the rooms and conferences that its project opens to subscribers; a guest those of its token. Neither sees the `reference` of another subscriber, nor a preview of what cannot be joined.',
        tags: ['Addresses'],
        querystring: ListAddressesQuery,
        response: { 200: Page(Address), ...errorAnswers(400, 401, 403, 422, 429, 500) },
      },
      preValidation: paging.restoreParameters,
    },
    async (request) => {
      const { projectId } = callerOf(request)
      const { type } = request.query
      const page = await addresses.list(projectId, viewerOf(request), { type }, paging.listRequest(request))
      const origin = originOf(request)
      return paging.answer(
        request,
        page,
        (address) => show(address, origin),
        (address) => address.created_at,
      )
    },
  )

  app.get(
    '/addresses/:id',
    {
      schema: {
        operationId: 'getAddress',
        summary: 'Get an address',
        description: 'One address, if the caller may see it.',
        tags: ['Addresses'],
        params: IdParams,
        response: { 200: Address, ...errorAnswers(400, 401, 403, 404, 429, 500) },
      },
    },
    async (request) => {
      const id = request.params.id.toLowerCase()
      const found = await addresses.find(callerOf(request).projectId, viewerOf(request), id)
      if (!found) throw new ParleyError('not_found', { code: 'provided_id_is_unrecognized', attribute: 'id' })
      return show(found, originOf(request))
    },
  )
}

function viewerOf({ grant }: FastifyRequest): AddressViewer {
  if (grant === null) return { kind: 'project' }
  const { subscriber_id: id } = grant
  return grant.kind === 'guest'
    ? { kind: 'guest', id, allowed: grant.allowed_addresses }
    : { kind: 'subscriber', id }
}

const show = ({ previewPath, ...address }: AddressRow, origin: string): Address => ({
  ...address,
  cover_url: null,
  preview_url: previewPath && origin + previewPath,
  created_at: formatMoment(address.created_at),
})
