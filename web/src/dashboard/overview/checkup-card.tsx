import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { CircleAlert, CircleCheck, RefreshCw, TriangleAlert } from 'lucide-react'
import { ApiError } from '../../api/api-error.ts'
import { apiErrorText } from '../../api/error-text.ts'
import { answerOf } from '../../api/http.ts'
import { dateText } from '../../languages/formats.ts'
import { t } from '../../languages/texts.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { useToast } from '../../ui/toasts.tsx'
import { Asking } from '../asking.tsx'
import { Card } from '../card.tsx'
import { useDashboard } from '../dashboard-context.tsx'
import { checkup, type Finding, keys } from '../dashboard-queries.ts'

/** What `parley doctor` says, as a list to work through. For those who may see the server. */
export function CheckupCard() {
  const { client } = useDashboard()
  const queries = useQueryClient()
  const tell = useToast()
  const query = useQuery(checkup(client))
  const examine = useMutation({
    // It writes to the disk and waits for ports, so an answer may take longer than usual.
    mutationFn: () => answerOf(client.POST('/api/dashboard/checkup')),
    onSuccess: (found) => queries.setQueryData(keys.checkup, found),
    onError: (error) => {
      const { title, hint } = apiErrorText(error)
      tell(title, hint)
    },
  })
  if (query.error instanceof ApiError && query.error.status === 403) return null
  return (
    <Card
      title={t('dashboard.checkup')}
      aside={
        <IconButton
          label={t('dashboard.checkup-again')}
          onClick={() => examine.mutate()}
          disabled={examine.isPending}
          className="size-9"
        >
          {examine.isPending ? <Spinner /> : <RefreshCw className="size-4.5" />}
        </IconButton>
      }
    >
      <Asking query={query} placeholder="h-40">
        {({ data, examined_at }) => <Findings findings={data} examinedAt={examined_at} />}
      </Asking>
    </Card>
  )
}

function Findings({ findings, examinedAt }: { findings: readonly Finding[]; examinedAt: string }) {
  const [fine, open] = [findings.filter(isFine), findings.filter((finding) => !isFine(finding))]
  return (
    <>
      {open.length === 0 && (
        <p className="flex items-center gap-2.5 text-sm text-live">
          <CircleCheck aria-hidden className="size-5 shrink-0" />
          {t('dashboard.checkup-fine')}
        </p>
      )}
      <ul className="space-y-3">
        {open.map((finding) => (
          <OneFinding key={finding.subject + finding.detail} finding={finding} />
        ))}
      </ul>
      {fine.length > 0 && (
        <details className="mt-4 text-sm">
          <summary className="cursor-pointer rounded-sm text-ink-soft hover:text-ink">
            {t('dashboard.checkup-ok', { count: fine.length })}
          </summary>
          <ul className="mt-3 space-y-3">
            {fine.map((finding) => (
              <OneFinding key={finding.subject + finding.detail} finding={finding} />
            ))}
          </ul>
        </details>
      )}
      <p className="mt-4 text-xs text-ink-soft">
        {t('dashboard.checkup-when', {
          time: dateText(examinedAt, { dateStyle: 'medium', timeStyle: 'short' }),
        })}
      </p>
    </>
  )
}

const isFine = ({ status }: Finding) => status === 'ok'

const LOOKS = {
  ok: { icon: CircleCheck, tone: 'text-live' },
  warning: { icon: TriangleAlert, tone: 'text-warning-ink' },
  failed: { icon: CircleAlert, tone: 'text-danger-ink' },
} as const

/** The words are the server's own, in English. */
function OneFinding({ finding: { status, subject, detail, advice } }: { finding: Finding }) {
  const { icon: Icon, tone } = LOOKS[status]
  return (
    <li className="flex gap-2.5 text-sm" lang="en" dir="ltr">
      <Icon aria-hidden className={`mt-0.5 size-4.5 shrink-0 ${tone}`} />
      <div className="min-w-0 break-words">
        <p>
          <span className="font-medium">{subject}</span>
          <span className="text-ink-soft"> · {detail}</span>
        </p>
        {advice && <p className={tone}>{advice}</p>}
      </div>
    </li>
  )
}
