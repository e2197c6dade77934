import type { Static } from 'typebox'
import { Refusal } from '../../errors/refusal.ts'
import type { AccessGrant } from '../../fabric/access-tokens.ts'
import { type Address as AddressRow, type AddressViewer, placeOf } from '../../fabric/addresses.ts'
import { IdParams } from '../../resources/building-blocks.ts'
import { formatMoment } from '../../resources/dates.ts'
import { Address, ListAddressesQuery } from '../../resources/fabric.ts'
import { Page } from '../../resources/paging.ts'
import type { ListOrder } from '../../services.ts'
import { type Operation, operation } from '../conventions/operation.ts'

const tag = 'Addresses'

/**
 * `/addresses`: two operations. End users see the addresses that they were granted, the server of a project sees all.
 */
export const addressOperations: Operation[] = [
  operation(
    {
      route: 'GET /addresses',
      operationId: 'listAddresses',
      summary: 'List addresses',
      description:
        'What can be called: rooms, conferences and subscribers, newest first unless `sort_by` says otherwise. A subscriber sees itself and the rooms and conferences that its project opens to subscribers; a guest those of its token. Neither sees the `reference` of another subscriber, nor a preview of what cannot be joined.',
      tag,
      query: ListAddressesQuery,
      answer: Page(Address),
    },
    async (request, { addresses }) => {
      const { projectId, grant, query, listRequest, origin } = request
      const { type, name, display_name: displayName } = query
      const order = orderOf(query)
      const filter = { type, name, displayName }
      const page = await addresses.list(projectId, viewerOf(grant), filter, { ...listRequest, order })
      return request.answerPage(
        page,
        (address) => show(address, origin),
        (address) => placeOf(address, order),
      )
    },
  ),

  operation(
    {
      route: 'GET /addresses/:id',
      operationId: 'getAddress',
      summary: 'Get an address',
      description: 'One address, if the caller may see it.',
      tag,
      params: IdParams,
      answer: Address,
    },
    async ({ projectId, grant, params, origin }, { addresses }) => {
      const found = await addresses.find(projectId, viewerOf(grant), params.id)
      if (!found) throw new Refusal('provided_id_is_unrecognized', { attribute: 'id' })
      return show(found, origin)
    },
  ),
]

function orderOf({ sort_by, sort_order }: Static<typeof ListAddressesQuery>): ListOrder {
  if (sort_by === 'name') return sort_order === 'desc' ? 'name-descending' : 'name-ascending'
  return sort_order === 'asc' ? 'oldest-first' : 'newest-first'
}

function viewerOf(grant: AccessGrant | null): AddressViewer {
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
