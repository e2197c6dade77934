import { useParams } from 'wouter'
import { RecordingList } from './recording-list.tsx'
import { RecordingScreen } from './recording-screen.tsx'

/** The recordings of the project, or one of them. */
export function RecordingsScreen() {
  const { id } = useParams<{ id?: string }>()
  return id ? <RecordingScreen key={id} id={id} /> : <RecordingList />
}
