import { useParams } from 'wouter'
import { EditRoom } from './edit-room.tsx'
import { NewRoom } from './new-room.tsx'
import { CONFERENCES, ROOMS, type RoomKind } from './room-kinds.ts'
import { RoomList } from './room-list.tsx'

/** The rooms of the project, one of them, or a new one. */
export const RoomsScreen = () => <Screen kind={ROOMS} />

/** The conferences likewise. */
export const ConferencesScreen = () => <Screen kind={CONFERENCES} />

function Screen({ kind }: { kind: RoomKind }) {
  const { id } = useParams<{ id?: string }>()
  if (id === undefined) return <RoomList kind={kind} />
  return id === 'new' ? <NewRoom kind={kind} /> : <EditRoom key={id} kind={kind} id={id} />
}
