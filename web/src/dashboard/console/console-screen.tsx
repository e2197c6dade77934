import { useQuery } from '@tanstack/react-query'
import { t } from '../../languages/texts.ts'
import { Select } from '../../ui/select.tsx'
import { Asking } from '../asking.tsx'
import { ScreenHead } from '../screen-head.tsx'
import { useFilter } from '../use-filter.ts'
import { type ApiOperation, apiOperations } from './api-document.ts'
import { RequestForm } from './request-form.tsx'

/** Tries operations of the API with the rights of whoever signed in. */
export function ConsoleScreen() {
  const query = useQuery(apiOperations)
  return (
    <>
      <ScreenHead title={t('dashboard.console')} />
      <p className="-mt-3 mb-5 max-w-prose text-sm text-ink-soft">{t('developers.console-hint')}</p>
      <Asking query={query} placeholder="h-96">
        {(operations) => <Console operations={operations} />}
      </Asking>
    </>
  )
}

function Console({ operations }: { operations: ApiOperation[] }) {
  const [chosen, choose] = useFilter('operation')
  const operation = operations.find(({ id }) => id === chosen) ?? operations[0]
  if (!operation) return null
  const groups = [...new Set(operations.map(({ group }) => group))]
  const inGroup = operations.filter(({ group }) => group === operation.group)
  return (
    <>
      <div className="mb-5 grid gap-3 sm:grid-cols-[14rem_minmax(0,1fr)]" lang="en">
        <Select
          label={t('developers.group')}
          value={operation.group}
          options={groups.map((group) => ({ value: group, label: group }))}
          onChange={(group) => choose(operations.find((one) => one.group === group)?.id ?? '')}
        />
        <Select
          label={t('developers.operation')}
          value={operation.id}
          options={inGroup.map(({ id, method, path, summary }) => ({
            value: id,
            label: `${summary} · ${method} ${path}`,
          }))}
          onChange={choose}
        />
      </div>
      <RequestForm key={operation.id} operation={operation} />
    </>
  )
}
