import { useParams } from 'wouter'
import { SessionList } from './session-list.tsx'
import { SessionScreen } from './session-screen.tsx'

/** The sessions of the project, or one of them. */
export function SessionsScreen() {
  const { id } = useParams<{ id?: string }>()
  return id ? <SessionScreen key={id} id={id} /> : <SessionList />
}
