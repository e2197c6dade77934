import { useParams } from 'wouter'
import { LiveWall } from './live-wall.tsx'
import { RoomScreen } from './room-screen.tsx'

/** The running rooms, or one of them. */
export function LiveScreen() {
  const { id } = useParams<{ id?: string }>()
  return id ? <RoomScreen key={id} id={id} /> : <LiveWall />
}
