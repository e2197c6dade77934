import { Refusal } from '../../errors/refusal.ts'
import type { AccessGrant } from '../../fabric/access-tokens.ts'
import type { Address as AddressRow, AddressViewer } from '../../fabric/addresses.ts'
import { IdParams } from '../../resources/building-blocks.ts'
import { formatMoment } from '../../resources/dates.ts'
import { Address, ListAddressesQuery } from '../../resources/fabric.ts'
import { Page } from '../../resources/paging.ts'
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
        'What can be called: rooms, conferences and subscribers, newest first. A subscriber sees itself and the rooms and conferences that its project opens to subscribers; a guest those of its token. Neither sees the `reference` of another subscriber, nor a preview of what cannot be joined.',
      tag,
      query: ListAddressesQuery,
      answer: Page(Address),
    },
    async (request, { addresses }) => {
      const { projectId, grant, query, listRequest, origin } = request
      const { type, name, display_name: displayName } = query
      const page = await addresses.list(projectId, viewerOf(grant), { type, name, displayName }, listRequest)
      return request.answerPage(
        page,
        (address) => show(address, origin),
        (address) => address.created_at,
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
