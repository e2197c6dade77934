import { type ColumnDef, flexRender, getCoreRowModel, useReactTable } from '@tanstack/react-table'
import { Circle } from 'lucide-react'
import { Link } from 'wouter'
import { clockText, dateText, numberText } from '../../languages/formats.ts'
import { t } from '../../languages/texts.ts'
import { LiveBadge } from '../../lobby/live-badge.tsx'
import { classNames } from '../../ui/class-names.ts'
import { screenHref } from '../addresses.ts'
import type { FoundSession } from './session-queries.ts'

/** Columns that a phone has no room for. */
const WIDE = new Set(['people', 'recordings', 'cost'])

const columns = (): ColumnDef<FoundSession>[] => [
  {
    id: 'room',
    header: t('dashboard.room'),
    cell: ({ row: { original: session } }) => (
      <span className="flex min-w-0 flex-wrap items-center gap-x-2.5 gap-y-1">
        <Link
          href={screenHref(`sessions/${session.id}`)}
          className="rounded-sm font-medium break-all text-ink hover:text-accent after:absolute after:inset-0"
        >
          <bdi>{session.name}</bdi>
        </Link>
        {session.status === 'in-progress' && <LiveBadge />}
      </span>
    ),
  },
  {
    id: 'started',
    header: t('dashboard.started'),
    cell: ({ row: { original } }) =>
      dateText(original.start_time, { dateStyle: 'medium', timeStyle: 'short' }),
  },
  {
    id: 'length',
    header: t('dashboard.length'),
    cell: ({ row: { original } }) =>
      original.end_time === null
        ? '–'
        : clockText((Date.parse(original.end_time) - Date.parse(original.start_time)) / 1000),
  },
  { id: 'people', header: t('dashboard.people'), cell: ({ row }) => numberText(row.original.people) },
  {
    id: 'recordings',
    header: t('dashboard.recording-now'),
    cell: ({ row: { original } }) =>
      original.recordings > 0 && (
        <span className="inline-flex items-center gap-1.5">
          <Circle aria-hidden className="size-3 fill-danger text-danger" />
          {numberText(original.recordings)}
        </span>
      ),
  },
  {
    id: 'cost',
    header: t('dashboard.cost'),
    cell: ({ row: { original } }) =>
      numberText(original.cost_in_dollars, { style: 'currency', currency: 'USD', maximumFractionDigits: 3 }),
  },
]

/** A table of sessions. Each row leads to its session. */
export function SessionTable({ sessions }: { sessions: FoundSession[] }) {
  const table = useReactTable({ data: sessions, columns: columns(), getCoreRowModel: getCoreRowModel() })
  return (
    <div className="overflow-x-auto rounded-lg border border-line bg-surface shadow-card">
      <table className="w-full text-sm">
        <thead>
          {table.getHeaderGroups().map((group) => (
            <tr key={group.id} className="border-b border-line text-start text-ink-soft">
              {group.headers.map(({ id, column }) => (
                <th key={id} scope="col" className={classNames('px-4 py-3 text-start font-medium', wide(id))}>
                  {flexRender(column.columnDef.header, {} as never)}
                </th>
              ))}
            </tr>
          ))}
        </thead>
        <tbody>
          {table.getRowModel().rows.map((row) => (
            <tr key={row.id} className="relative border-b border-line last:border-0 hover:bg-hover">
              {row.getVisibleCells().map((cell) => (
                <td key={cell.id} className={classNames('px-4 py-3 tabular-nums', wide(cell.column.id))}>
                  {flexRender(cell.column.columnDef.cell, cell.getContext())}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const wide = (id: string) => WIDE.has(id) && 'hidden sm:table-cell'
