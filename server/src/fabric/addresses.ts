import type { Previews } from '../rooms/previews.ts'
import type { RoomRecord, SubscriberRecord } from '../storage/records.ts'
import type { ListPage, ListRequest, Storage } from '../storage/storage.ts'

/** Something of a project that can be called: a room, a conference or a subscriber. */
export interface Address {
  /** Id of the room, conference or subscriber itself. */
  id: string
  name: string
  display_name: string
  type: 'room' | 'subscriber'
  /** Whether nobody may join now. */
  locked: boolean
  /** Path and query of its preview video; null where there is none now. */
  previewPath: string | null
  channels: { audio?: string; video?: string; messaging?: string }
  /** Unix milliseconds. */
  created_at: number
}

/** The addresses of projects, newest first. */
export interface Addresses {
  list(
    projectId: string,
    filter: { type?: Address['type'] | undefined },
    request: ListRequest,
  ): Promise<ListPage<Address>>
  find(projectId: string, id: string): Promise<Address | undefined>
  /** One page of {@link Addresses.findAll}. */
  listSome(
    projectId: string,
    ids: readonly string[],
    filter: { type?: Address['type'] | undefined },
    request: ListRequest,
  ): Promise<ListPage<Address>>
  /** Those of the ids that are addresses of the project, each once, newest first. */
  findAll(projectId: string, ids: readonly string[]): Promise<Address[]>
}

export function createAddresses(
  storage: Pick<Storage, 'rooms' | 'subscribers' | 'sessions'>,
  previews: Pick<Previews, 'link'>,
): Addresses {
  async function showRooms(projectId: string, rooms: readonly RoomRecord[]): Promise<Address[]> {
    const active = await storage.sessions.findActiveByRooms(
      projectId,
      rooms.map((room) => room.id),
    )
    return rooms.map((room) => {
      const session = active.get(room.id)
      return ofRoom(room, session?.locked ?? false, session ? previews.link(session) : null)
    })
  }

  async function find(projectId: string, id: string): Promise<Address | undefined> {
    const room = await storage.rooms.find(projectId, id)
    if (room) return (await showRooms(projectId, [room]))[0]
    const subscriber = await storage.subscribers.find(projectId, id)
    return subscriber && ofSubscriber(subscriber)
  }

  async function findAll(projectId: string, ids: readonly string[]): Promise<Address[]> {
    const found = await Promise.all([...new Set(ids)].map((id) => find(projectId, id)))
    return found.filter((address) => address !== undefined).sort(newestFirst)
  }

  return {
    find,
    findAll,

    async listSome(projectId, ids, { type }, request) {
      const all = (await findAll(projectId, ids)).filter((address) => !type || address.type === type)
      return pageOf(all, request)
    },

    async list(projectId, { type }, request) {
      const rooms = async (kind: 'room' | 'conference') => {
        const page = await storage.rooms.list(projectId, { kind }, request)
        return { ...page, rows: await showRooms(projectId, page.rows) }
      }
      const subscribers = async () => {
        const page = await storage.subscribers.list(projectId, request)
        return { ...page, rows: page.rows.map(ofSubscriber) }
      }
      const pages = await Promise.all([
        ...(type === 'subscriber' ? [] : [rooms('room'), rooms('conference')]),
        ...(type === 'room' ? [] : [subscribers()]),
      ])
      return mergePages(pages, request)
    },
  }
}

type Place = Pick<Address, 'created_at' | 'id'>

const newestFirst = (one: Place, other: Place) =>
  other.created_at - one.created_at || (one.id < other.id ? 1 : Number(one.id === other.id) - 1)

/** One page of a list that is here as a whole, newest first. */
function pageOf(all: readonly Address[], { cursor, limit }: ListRequest): ListPage<Address> {
  const side = (address: Address) =>
    cursor ? newestFirst(address, { created_at: cursor.at, id: cursor.id }) : 1
  const isIncluded = (address: Address) => cursor?.inclusive === true && side(address) === 0
  const before = all.filter(
    (address) => side(address) < 0 || (cursor?.direction === 'before' && isIncluded(address)),
  )
  const after = all.slice(before.length).filter((address) => side(address) > 0 || isIncluded(address))
  if (cursor?.direction === 'before') {
    const rows = before.slice(-limit)
    return { rows, hasPrevious: before.length > limit, hasNext: rows.length > 0 }
  }
  const rows = after.slice(0, limit)
  return { rows, hasPrevious: cursor !== undefined && rows.length > 0, hasNext: after.length > limit }
}

/**
 * One page of several lists taken together, from the page of each at the same place.
 * @param request what each page was asked for with
 */
export function mergePages(pages: readonly ListPage<Address>[], request: ListRequest): ListPage<Address> {
  const all = pages.flatMap((page) => page.rows).sort(newestFirst)
  const isCut = all.length > request.limit
  const isBehindCursor = request.cursor !== undefined && all.length > 0
  const backwards = request.cursor?.direction === 'before'
  return {
    rows: backwards ? all.slice(-request.limit) : all.slice(0, request.limit),
    // The row that the cursor stands at lies on the other side of it, whichever list it is from.
    hasPrevious: backwards ? isCut || pages.some((page) => page.hasPrevious) : isBehindCursor,
    hasNext: backwards ? isBehindCursor : isCut || pages.some((page) => page.hasNext),
  }
}

function ofRoom(room: RoomRecord, locked: boolean, previewPath: string | null): Address {
  const path = `/public/${room.name}`
  const hasChat = room.conference?.enable_chat ?? false
  return {
    id: room.id,
    name: room.name,
    display_name: room.display_name ?? room.name,
    type: 'room',
    locked,
    previewPath,
    channels: {
      audio: `${path}?channel=audio`,
      video: `${path}?channel=video`,
      ...(hasChat && { messaging: `${path}?channel=messaging` }),
    },
    created_at: room.created_at,
  }
}

function ofSubscriber(subscriber: SubscriberRecord): Address {
  const path = `/private/${encodeURIComponent(subscriber.reference)}`
  return {
    id: subscriber.id,
    name: subscriber.reference,
    display_name: subscriber.reference,
    type: 'subscriber',
    locked: false,
    previewPath: null,
    channels: {
      audio: `${path}?channel=audio`,
      video: `${path}?channel=video`,
      messaging: `${path}?channel=messaging`,
    },
    created_at: subscriber.created_at,
  }
}
