import { useInfiniteQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useDeferredValue } from 'react'
import { Link } from 'wouter'
import { useMay } from '../../api/signed-in-access.ts'
import { t } from '../../languages/texts.ts'
import { buttonClass } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Field } from '../../ui/field.tsx'
import { screenHref } from '../addresses.ts'
import { Asking } from '../asking.tsx'
import { useDashboard } from '../dashboard-context.tsx'
import { OlderButton } from '../older-button.tsx'
import { ScreenHead } from '../screen-head.tsx'
import { useFilter } from '../use-filter.ts'
import type { RoomKind } from './room-kinds.ts'
import { foundRooms } from './room-queries.ts'
import { RoomTable } from './room-table.tsx'

/** All rooms or conferences, or those that were searched for. */
export function RoomList({ kind }: { kind: RoomKind }) {
  const { client } = useDashboard()
  const mayChange = useMay('operate')
  const [search, setSearch] = useFilter('search')
  const query = useInfiniteQuery(foundRooms(client, kind, useDeferredValue(search.trim())))
  const rooms = query.data?.pages.flatMap((page) => page.data)
  const Icon = kind.icon
  const add = mayChange && (
    <Link href={screenHref(`${kind.path}/new`)} className={buttonClass({ kind: 'primary', size: 'small' })}>
      <Plus aria-hidden className="size-4.5" />
      {t(kind.texts.new)}
    </Link>
  )
  return (
    <>
      <ScreenHead title={t(kind.texts.title)}>{add}</ScreenHead>
      <search className="mb-5 block">
        <Field
          type="search"
          label={t('rooms.search')}
          value={search}
          onChange={(event) => setSearch(event.target.value)}
          maxLength={200}
          autoComplete="off"
          spellCheck={false}
        />
      </search>
      <Asking query={{ ...query, data: rooms }} placeholder="h-96">
        {(found) =>
          found.length === 0 && !query.hasNextPage ? (
            <div className="rounded-lg border border-line bg-surface shadow-card">
              <EmptyState
                icon={<Icon className="size-6" />}
                title={t(search ? 'rooms.none-found' : kind.texts.none)}
                hint={t(search ? 'rooms.none-found-hint' : kind.texts['none-hint'])}
              >
                {!search && add}
              </EmptyState>
            </div>
          ) : (
            <RoomTable kind={kind} rooms={found} />
          )
        }
      </Asking>
      <OlderButton query={query} label={t('rooms.more')} />
    </>
  )
}
