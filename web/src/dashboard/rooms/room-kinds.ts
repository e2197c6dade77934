import forms from 'virtual:form-fields'
import type { ApiClient, Resources } from '@parley/api-client'
import { DoorOpen, type LucideIcon, Presentation } from 'lucide-react'
import { answerOf } from '../../api/http.ts'
import type { TextId } from '../../languages/catalogs.ts'
import type { FormSchema } from './field-kind.ts'

export type Room = Resources['Room']
export type Conference = Resources['Conference']
export type AnyRoom = Room | Conference
export type FoundRoom = Resources['FoundRoom']

interface Place {
  beginning?: string
  page_size: number
  page_number?: number
  page_token?: string
}

/** Rooms, or conferences: what the screens call them, and how the API does. */
export interface RoomKind {
  /** Of its screen, and in the keys of queries. */
  path: 'rooms' | 'conferences'
  icon: LucideIcon
  texts: Readonly<
    Record<'title' | 'new' | 'none' | 'none-hint' | 'delete-question' | 'deleted' | 'copy-of', TextId>
  >
  form: FormSchema
  list(client: ApiClient, query: Place, signal: AbortSignal): Promise<Resources['FoundRoomPage']>
  get(client: ApiClient, id: string, signal: AbortSignal): Promise<AnyRoom>
  create(client: ApiClient, body: object): Promise<AnyRoom>
  update(client: ApiClient, id: string, body: object): Promise<AnyRoom>
  remove(client: ApiClient, id: string): Promise<unknown>
}

const withSession = { include_active_session: true }

/** The rooms that are no conferences. */
export const ROOMS: RoomKind = {
  path: 'rooms',
  icon: DoorOpen,
  texts: {
    title: 'dashboard.rooms',
    new: 'rooms.new-room',
    none: 'rooms.no-rooms',
    'none-hint': 'rooms.no-rooms-hint',
    'delete-question': 'rooms.delete-room-question',
    deleted: 'rooms.room-deleted',
    'copy-of': 'rooms.copy-of',
  },
  form: forms.rooms,
  list: (client, query, signal) =>
    answerOf(client.GET('/api/dashboard/rooms', { params: { query }, signal }), signal),
  get: (client, id, signal) => {
    const params = { path: { id }, query: withSession }
    return answerOf(client.GET('/api/video/rooms/{id}', { params, signal }), signal)
  },
  create: (client, body) =>
    answerOf(client.POST('/api/video/rooms', { body: body as Resources['CreateRoom'] })),
  update: (client, id, body) =>
    answerOf(client.PUT('/api/video/rooms/{id}', { params: { path: { id } }, body })),
  remove: (client, id) => answerOf(client.DELETE('/api/video/rooms/{id}', { params: { path: { id } } })),
}

/** The conferences. */
export const CONFERENCES: RoomKind = {
  path: 'conferences',
  icon: Presentation,
  texts: {
    title: 'dashboard.conferences',
    new: 'rooms.new-conference',
    none: 'rooms.no-conferences',
    'none-hint': 'rooms.no-conferences-hint',
    'delete-question': 'rooms.delete-conference-question',
    deleted: 'rooms.conference-deleted',
    'copy-of': 'rooms.copy-of',
  },
  form: forms.conferences,
  list: (client, query, signal) =>
    answerOf(client.GET('/api/dashboard/conferences', { params: { query }, signal }), signal),
  get: (client, id, signal) => {
    const params = { path: { id }, query: withSession }
    return answerOf(client.GET('/api/video/conferences/{id}', { params, signal }), signal)
  },
  create: (client, body) =>
    answerOf(client.POST('/api/video/conferences', { body: body as Resources['CreateConference'] })),
  update: (client, id, body) =>
    answerOf(
      client.PUT('/api/video/conferences/{id}', {
        params: { path: { id } },
        body: body as Resources['UpdateConference'],
      }),
    ),
  remove: (client, id) =>
    answerOf(client.DELETE('/api/video/conferences/{id}', { params: { path: { id } } })),
}
