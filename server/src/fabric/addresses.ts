import type { Clock } from '../clock.ts'
import type { Previews } from '../rooms/previews.ts'
import { isByName, isDescending, type ListOrder } from '../storage/list-order.ts'
import type { ListCursor, ListPage, ListRequest } from '../storage/list-page.ts'
import type { RoomRecord, SessionRecord, SubscriberRecord } from '../storage/records.ts'
import type { Storage } from '../storage/storage.ts'
import { isOpen, type OpenRooms } from './open-rooms.ts'

/** Something of a project that can be called: a room, a conference or a subscriber. */
export interface Address {
  /** Id of the room, conference or subscriber itself. */
  id: string
  name: string
  display_name: string
  type: 'room' | 'subscriber'
  /** True when nobody may join now. */
  locked: boolean
  /** Path and query of the preview video; null when there is none now. */
  previewPath: string | null
  channels: { audio?: string; video?: string; messaging?: string }
  /** Unix milliseconds. */
  created_at: number
}

/** Viewer of addresses. */
export type AddressViewer =
  /** The project's own server. It sees all addresses. */
  | { kind: 'project' }
  /** Sees itself, and the rooms that the project opens to its subscribers. */
  | { kind: 'subscriber'; id: string }
  /** Sees some of the addresses that its subscriber sees. */
  | { kind: 'guest'; id: string; allowed: readonly string[] }

/** Which addresses a list has. Names are compared exactly. */
export interface AddressFilter {
  type?: Address['type'] | undefined
  name?: string | undefined
  displayName?: string | undefined
}

/**
 * The addresses of projects. Lists are newest first unless the request says otherwise. An address that the viewer may
 * not see is treated as absent.
 */
export interface Addresses {
  list(
    projectId: string,
    viewer: AddressViewer,
    filter: AddressFilter,
    request: ListRequest,
  ): Promise<ListPage<Address>>
  find(projectId: string, viewer: AddressViewer, id: string): Promise<Address | undefined>
  /** Finds the addresses with these ids, each once, newest first. Unknown ids are left out. */
  findAll(projectId: string, viewer: AddressViewer, ids: readonly string[]): Promise<Address[]>
}

export interface AddressesOptions {
  storage: Pick<Storage, 'projects' | 'rooms' | 'subscribers' | 'sessions'>
  previews: Pick<Previews, 'link'>
  clock: Clock
}

export function createAddresses({ storage, previews, clock }: AddressesOptions): Addresses {
  async function showRooms(
    projectId: string,
    viewer: AddressViewer,
    rooms: readonly RoomRecord[],
  ): Promise<Address[]> {
    const active = await storage.sessions.findActiveByRooms(
      projectId,
      rooms.map((room) => room.id),
    )
    const now = clock.now()
    return rooms.map((room) => {
      const session = active.get(room.id)
      const isShown = session && (viewer.kind === 'project' || maySee(session, now))
      return ofRoom(room, session?.locked ?? false, isShown ? previews.link(session) : null)
    })
  }

  /** Rooms that the project opens to this viewer. */
  async function openTo(projectId: string, viewer: AddressViewer): Promise<OpenRooms> {
    if (viewer.kind === 'project') return null
    const project = await storage.projects.find(projectId)
    return project ? project.subscriber_rooms : []
  }

  async function findAll(
    projectId: string,
    viewer: AddressViewer,
    ids: readonly string[],
  ): Promise<Address[]> {
    const open = await openTo(projectId, viewer)
    const sought = [...new Set(ids)].filter((id) => viewer.kind !== 'guest' || viewer.allowed.includes(id))
    const found = await Promise.all(sought.map((id) => findOne(projectId, viewer, open, id)))
    return found.filter((address) => address !== undefined).sort(comparison('newest-first'))
  }

  async function findOne(
    projectId: string,
    viewer: AddressViewer,
    open: OpenRooms,
    id: string,
  ): Promise<Address | undefined> {
    const room = await storage.rooms.find(projectId, id)
    if (room) return isOpen(open, room.name) ? (await showRooms(projectId, viewer, [room]))[0] : undefined
    if (viewer.kind !== 'project' && viewer.id !== id) return undefined
    const subscriber = await storage.subscribers.find(projectId, id)
    return subscriber && ofSubscriber(subscriber, viewer)
  }

  async function listSubscribers(
    projectId: string,
    viewer: AddressViewer,
    filter: AddressFilter,
    request: ListRequest,
  ): Promise<ListPage<Address>> {
    if (viewer.kind !== 'project') {
      return pageOf(matching(await findAll(projectId, viewer, [viewer.id]), filter), request)
    }
    if (filter.displayName !== undefined) {
      const subscriber = await storage.subscribers.findByReference(projectId, filter.displayName)
      return pageOf(subscriber ? [ofSubscriber(subscriber, viewer)] : [], request)
    }
    const page = await storage.subscribers.list(projectId, request)
    return { ...page, rows: page.rows.map((subscriber) => ofSubscriber(subscriber, viewer)) }
  }

  /** A name has one room or conference and one subscriber at most. */
  async function findNamed(projectId: string, viewer: AddressViewer, name: string): Promise<Address[]> {
    const found = await Promise.all([
      storage.rooms.findByName(projectId, name),
      storage.subscribers.findByReference(projectId, name),
    ])
    const ids = found.flatMap((one) => (one ? [one.id] : []))
    return findAll(projectId, viewer, ids)
  }

  return {
    findAll,
    find: async (projectId, viewer, id) => (await findAll(projectId, viewer, [id]))[0],

    async list(projectId, viewer, filter, request) {
      const { type, name, displayName } = filter
      if (viewer.kind === 'guest') {
        return pageOf(matching(await findAll(projectId, viewer, viewer.allowed), filter), request)
      }
      if (name !== undefined) {
        return pageOf(matching(await findNamed(projectId, viewer, name), filter), request)
      }
      const names = await openTo(projectId, viewer)
      const rooms = async (kind: 'room' | 'conference' | 'any') => {
        const page = await storage.rooms.list(
          projectId,
          { kind, names: names ?? undefined, displayName },
          request,
        )
        return { ...page, rows: await showRooms(projectId, viewer, page.rows) }
      }
      const hasRooms = type !== 'subscriber' && names?.length !== 0
      // Each of these lists has an index: rooms and conferences by time, both together by name.
      const kinds = isByName(request.order ?? 'newest-first')
        ? (['any'] as const)
        : (['room', 'conference'] as const)
      const pages = await Promise.all([
        ...(hasRooms ? kinds.map(rooms) : []),
        ...(type === 'room' ? [] : [listSubscribers(projectId, viewer, filter, request)]),
      ])
      return mergePages(pages, request)
    },
  }
}

const matching = (addresses: readonly Address[], { type, name, displayName }: AddressFilter): Address[] =>
  addresses.filter(
    (address) =>
      (type === undefined || address.type === type) &&
      (name === undefined || address.name === name) &&
      (displayName === undefined || address.display_name === displayName),
  )

/** Whether the session can be joined now. A session that cannot be joined must not be watched either. */
const maySee = ({ locked, join_from, join_until }: SessionRecord, now: number): boolean =>
  !locked && (join_from === null || join_from <= now) && (join_until === null || now < join_until)

/** A place in a list of addresses. */
type Place = Pick<ListCursor, 'at' | 'id'>

/** What orders a list of addresses: the time or the name of one of them. */
export const placeOf = (address: Address, order: ListOrder): ListCursor['at'] =>
  isByName(order) ? address.name : address.created_at

/** Compares as the database does: names byte by byte, equal ones by id. */
function comparePlaces(one: Place, other: Place): number {
  if (typeof one.at === 'number' && typeof other.at === 'number' && one.at !== other.at)
    return one.at - other.at
  const byName = Buffer.compare(Buffer.from(String(one.at)), Buffer.from(String(other.at)))
  return byName || (one.id > other.id ? 1 : Number(one.id === other.id) - 1)
}

function comparison(order: ListOrder): (one: Address, other: Address) => number {
  const sign = isDescending(order) ? -1 : 1
  const place = (address: Address): Place => ({ at: placeOf(address, order), id: address.id })
  return (one, other) => sign * comparePlaces(place(one), place(other))
}

/** One page of a complete list in memory. */
function pageOf(found: readonly Address[], request: ListRequest): ListPage<Address> {
  const { cursor, limit, order = 'newest-first' } = request
  const all = found.toSorted(comparison(order))
  const sign = isDescending(order) ? -1 : 1
  const side = (address: Address) =>
    cursor ? sign * comparePlaces({ at: placeOf(address, order), id: address.id }, cursor) : 1
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
 * Merges pages of several lists, all at the same cursor, into one page.
 * @param request the request that each page answers
 */
export function mergePages(pages: readonly ListPage<Address>[], request: ListRequest): ListPage<Address> {
  const all = pages.flatMap((page) => page.rows).sort(comparison(request.order ?? 'newest-first'))
  const isCut = all.length > request.limit
  const isBehindCursor = request.cursor !== undefined && all.length > 0
  const backwards = request.cursor?.direction === 'before'
  return {
    rows: backwards ? all.slice(-request.limit) : all.slice(0, request.limit),
    // The row at the cursor lies on its other side, whichever list the row is from.
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

/** A guest does not learn the reference that the project uses for the subscriber. */
function ofSubscriber(subscriber: SubscriberRecord, viewer: AddressViewer): Address {
  const name = viewer.kind === 'guest' ? subscriber.id : subscriber.reference
  const path = `/private/${encodeURIComponent(name)}`
  return {
    id: subscriber.id,
    name,
    display_name: name,
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
