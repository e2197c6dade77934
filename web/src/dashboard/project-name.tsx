import { useQuery } from '@tanstack/react-query'
import { useApi } from '../api/api-context.tsx'
import { useDashboard } from './dashboard-context.tsx'

/** The name of the project that the dashboard shows. */
export function ProjectName() {
  const api = useApi()
  const { projectId } = useDashboard()
  const { data: project } = useQuery({
    queryKey: ['project'],
    queryFn: ({ signal }) => api.getProject(signal),
    staleTime: Number.POSITIVE_INFINITY,
  })
  return (
    <p className="truncate text-xs text-ink-soft" title={projectId}>
      <bdi>{project?.name ?? projectId}</bdi>
    </p>
  )
}
