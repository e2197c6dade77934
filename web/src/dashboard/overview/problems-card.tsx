import { useQuery } from '@tanstack/react-query'
import { CircleAlert, ShieldCheck, TriangleAlert } from 'lucide-react'
import { dateText } from '../../languages/formats.ts'
import { t } from '../../languages/texts.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Asking } from '../asking.tsx'
import { Card } from '../card.tsx'
import { useDashboard } from '../dashboard-context.tsx'
import { type Problem, problems } from '../dashboard-queries.ts'
import { problemText } from './problem-text.ts'

/** The newest events that are warnings or errors. */
export function ProblemsCard() {
  const { client } = useDashboard()
  const query = useQuery(problems(client))
  return (
    <Card title={t('dashboard.problems')}>
      <Asking query={query} placeholder="h-40">
        {({ data }) =>
          data.length === 0 ? (
            <EmptyState
              icon={<ShieldCheck className="size-6" />}
              title={t('dashboard.no-problems')}
              hint={t('dashboard.no-problems-hint')}
            />
          ) : (
            <ul className="divide-y divide-line">
              {data.map((problem) => (
                <OneProblem key={problem.id} problem={problem} />
              ))}
            </ul>
          )
        }
      </Asking>
    </Card>
  )
}

function OneProblem({ problem }: { problem: Problem }) {
  const isError = problem.level === 'error'
  const Icon = isError ? CircleAlert : TriangleAlert
  return (
    <li className="flex gap-3 py-3 text-sm first:pt-0 last:pb-0">
      <Icon
        aria-hidden
        className={`mt-0.5 size-4.5 shrink-0 ${isError ? 'text-danger-ink' : 'text-warning-ink'}`}
      />
      <div className="min-w-0 flex-1">
        <p className="font-medium break-words">{problemText(problem)}</p>
        <p className="text-ink-soft">
          {problem.room_name !== null && <bdi>{problem.room_name}</bdi>}
          {problem.room_name !== null && ' · '}
          <time dateTime={problem.created_at}>
            {dateText(problem.created_at, { dateStyle: 'medium', timeStyle: 'short' })}
          </time>
        </p>
      </div>
    </li>
  )
}
