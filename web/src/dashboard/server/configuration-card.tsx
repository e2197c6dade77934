import { useQuery } from '@tanstack/react-query'
import { t } from '../../languages/texts.ts'
import { Notice } from '../../ui/notice.tsx'
import { Switch } from '../../ui/switch.tsx'
import { Asking } from '../asking.tsx'
import { Card } from '../card.tsx'
import { useDashboard } from '../dashboard-context.tsx'
import { useFilter } from '../use-filter.ts'
import { type ConfigurationValue, configuration } from './server-queries.ts'

/** The configuration in effect, and where each value came from. */
export function ConfigurationCard() {
  const { client } = useDashboard()
  const query = useQuery(configuration(client))
  const [options, setOptions] = useFilter('options')
  const onlySet = options !== 'all'
  return (
    <Card title={t('server.configuration')} className="lg:col-span-2">
      <Asking query={query} placeholder="h-96">
        {({ data, unknown }) => (
          <>
            {unknown.length > 0 && (
              <Notice
                tone="warning"
                title={t('server.unknown-options')}
                hint={unknown.join(', ')}
                className="mb-4"
              />
            )}
            <div className="mb-2 max-w-80">
              <Switch
                label={t('server.only-set')}
                checked={onlySet}
                onChange={(checked) => setOptions(checked ? '' : 'all')}
              />
            </div>
            <ul className="divide-y divide-line">
              {data
                .filter(({ source }) => !onlySet || source === 'environment')
                .map((value) => (
                  <OptionRow key={value.name} option={value} />
                ))}
            </ul>
          </>
        )}
      </Asking>
    </Card>
  )
}

/** The words are those of the operators’ reference, in English. */
function OptionRow({ option: { name, value, source, description } }: { option: ConfigurationValue }) {
  return (
    <li className="grid gap-x-6 gap-y-1 py-2.5 text-sm sm:grid-cols-[20rem_minmax(0,1fr)]">
      <code dir="ltr" className="font-mono text-xs leading-5 font-medium break-all sm:text-start">
        {name}
      </code>
      <div className="min-w-0">
        <p className="flex flex-wrap items-baseline gap-x-2.5">
          <code dir="ltr" className="font-mono text-xs break-all">
            {value ?? '–'}
          </code>
          <span className="text-xs text-ink-soft">
            {source === 'environment' ? t('server.from-environment') : t('server.from-default')}
          </span>
        </p>
        <p lang="en" dir="ltr" className="mt-0.5 text-start text-ink-soft">
          {description}
        </p>
      </div>
    </li>
  )
}
