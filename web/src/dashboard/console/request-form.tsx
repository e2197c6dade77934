import { useMutation } from '@tanstack/react-query'
import { Send } from 'lucide-react'
import { useId, useState } from 'react'
import { curlOf, isForPrograms } from '../../api/curl.ts'
import { withoutSecrets } from '../../api/sent-requests.ts'
import { t } from '../../languages/texts.ts'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { Field } from '../../ui/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Card } from '../card.tsx'
import { CopyButton } from '../copy-button.tsx'
import { useDashboard } from '../dashboard-context.tsx'
import { MethodBadge } from '../method-badge.tsx'
import { AnswerCard } from './answer-card.tsx'
import { type ApiOperation, type Parameter, pathOf } from './api-document.ts'
import { readAnswer } from './read-answer.ts'

/** Writes a request to one operation, sends it, and shows the answer. */
export function RequestForm({ operation }: { operation: ApiOperation }) {
  const { method, pathParameters, queryParameters, summary, description } = operation
  const { sendWritten } = useDashboard()
  const [values, setValues] = useState<Record<string, string>>({})
  const [body, setBody] = useState(operation.body ?? '')
  const [isAsking, setAsking] = useState(false)
  const path = pathOf(operation, values)
  const request = { method, path, body: operation.body === null ? null : body }
  const send = useMutation({ mutationFn: () => readAnswer(sendWritten(request)) })
  const isComplete = pathParameters.every(({ name }) => values[name])
  const field = (parameter: Parameter) => (
    <ParameterField
      key={parameter.name}
      parameter={parameter}
      value={values[parameter.name] ?? ''}
      onChange={(value) => setValues((before) => ({ ...before, [parameter.name]: value }))}
    />
  )
  return (
    <div className="grid items-start gap-5 lg:grid-cols-2">
      <Card title={summary} aside={<MethodBadge method={method} />}>
        <p lang="en" dir="ltr" className="mb-4 text-start text-sm text-ink-soft">
          {description}
        </p>
        <form
          className="space-y-4"
          onSubmit={(event) => {
            event.preventDefault()
            if (method === 'DELETE') setAsking(true)
            else send.mutate()
          }}
        >
          {pathParameters.map(field)}
          {operation.body !== null && <BodyField value={body} onChange={setBody} />}
          {queryParameters.length > 0 && (
            <details className="text-sm">
              <summary className="cursor-pointer rounded-sm py-1 text-ink-soft hover:text-ink">
                {t('developers.query-parameters', { count: queryParameters.length })}
              </summary>
              <div className="mt-3 space-y-4">{queryParameters.map(field)}</div>
            </details>
          )}
          <Button
            type="submit"
            kind={method === 'DELETE' ? 'danger' : 'primary'}
            disabled={!isComplete}
            busy={send.isPending}
          >
            <Send aria-hidden className="size-4.5 rtl:-scale-x-100" />
            {t('developers.send')}
          </Button>
        </form>
      </Card>
      <div className="min-w-0 space-y-5">
        {isForPrograms(path) && <CurlCard request={request} />}
        {send.error && (
          <Notice tone="danger" title={t('errors.unreachable')} hint={t('errors.unreachable-hint')} />
        )}
        {send.data && <AnswerCard answer={send.data} />}
      </div>
      <Confirm
        open={isAsking}
        onOpenChange={setAsking}
        title={t('developers.delete-question')}
        description={t('developers.delete-hint', { path })}
        action={t('developers.send')}
        onConfirm={() => {
          setAsking(false)
          send.mutate()
        }}
      />
    </div>
  )
}

interface ParameterFieldProps {
  parameter: Parameter
  value: string
  onChange: (value: string) => void
}

/** The words are those of the API document, in English. */
function ParameterField({ parameter, value, onChange }: ParameterFieldProps) {
  const { name, isRequired, description, example } = parameter
  return (
    <div lang="en" dir="ltr" className="text-start">
      <Field
        label={name}
        value={value}
        required={isRequired}
        placeholder={example}
        hint={description}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => onChange(event.target.value)}
      />
    </div>
  )
}

function BodyField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const id = useId()
  return (
    <div>
      <label htmlFor={id} className="mb-1.5 block text-sm font-medium text-ink">
        {t('developers.body')}
      </label>
      <textarea
        id={id}
        dir="ltr"
        rows={Math.min(18, value.split('\n').length + 1)}
        spellCheck={false}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        className="w-full rounded-md border border-line-strong bg-surface px-3 py-2 text-start font-mono text-sm text-ink focus-visible:outline-offset-0"
      />
    </div>
  )
}

function CurlCard({ request }: { request: { method: string; path: string; body: string | null } }) {
  const { projectId } = useDashboard()
  const body = request.body === null ? null : withoutSecrets(request.body)
  const command = curlOf({ ...request, body }, location.origin, projectId)
  return (
    <Card
      title={t('developers.curl')}
      aside={<CopyButton label={t('developers.copy-curl')} text={command} />}
    >
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard
        tabIndex={0}
        dir="ltr"
        className="overflow-x-auto rounded-md bg-sunken p-3 text-start font-mono text-xs leading-5"
      >
        {command}
      </pre>
      <p className="mt-3 text-sm text-ink-soft">{t('developers.curl-hint')}</p>
    </Card>
  )
}
