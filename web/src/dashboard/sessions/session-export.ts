import type { WholeSession } from './session-queries.ts'

/** A session as JSON. Links to media are left out: they let anybody in who has the file. */
export function sessionJson({ session, events, recordings, qualities }: WholeSession): string {
  const files = recordings.map(({ uri: _link, ...recording }) => recording)
  const { preview_url: _preview, ...facts } = session
  return `${JSON.stringify({ session: facts, events, recordings: files, quality: qualities }, null, 2)}\n`
}

/** The connections of a session as CSV (RFC 4180): a row for each interval of each member. */
export function qualityCsv({ qualities, events }: Pick<WholeSession, 'qualities' | 'events'>): string {
  const names = new Map(events.map(({ payload }) => namesOf(payload)))
  const [first] = qualities
  if (!first) return ''
  const { member_id: _id, start_time: _start, interval_ms: _length, ...figures } = first
  const columns = Object.keys(figures) as (keyof typeof figures)[]
  const rows = qualities.flatMap((quality) =>
    quality.talking.map((_, index) => [
      new Date(Date.parse(quality.start_time) + index * quality.interval_ms).toISOString(),
      String(quality.interval_ms),
      names.get(quality.member_id) ?? '',
      quality.member_id,
      ...columns.map((column) => String(quality[column][index] ?? '')),
    ]),
  )
  return csv([['time', 'interval_ms', 'person', 'member_id', ...columns], ...rows])
}

const namesOf = (payload: object): [string, string] => {
  const { member_id = '', name = '' } = payload as { member_id?: string; name?: string }
  return [member_id, name]
}

/** The events of a session as CSV (RFC 4180), one in a row. */
export function eventsCsv({ events }: Pick<WholeSession, 'events'>): string {
  const rows = events.map(({ created_at, name, level, payload, room_participant_id }) => [
    created_at,
    name,
    level,
    String((payload as { name?: unknown }).name ?? ''),
    room_participant_id ?? '',
    JSON.stringify(payload),
  ])
  return csv([['time', 'event', 'level', 'person', 'member_id', 'details'], ...rows])
}

const csv = (rows: readonly (readonly string[])[]): string =>
  rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('')

/**
 * A cell that no spreadsheet takes for a formula: people choose their names, and "=HYPERLINK(…)" is one. A character
 * that begins a formula gets an apostrophe before it, also behind spaces.
 */
function cell(value: string): string {
  const safe = /^\s*[=+\-@|%\t\r]/.test(value) ? `'${value}` : value
  return `"${safe.replaceAll('"', '""')}"`
}

/** Gives a file to the person. */
export function saveFile(name: string, type: string, content: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([content], { type }))
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
