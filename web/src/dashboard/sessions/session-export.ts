import type { WholeSession } from './session-queries.ts'

/** A session as JSON. Links to media are left out: they let anybody in who has the file. */
export function sessionJson({ session, events, recordings }: WholeSession): string {
  const files = recordings.map(({ uri: _link, ...recording }) => recording)
  const { preview_url: _preview, ...facts } = session
  return `${JSON.stringify({ session: facts, events, recordings: files }, null, 2)}\n`
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
  return [['time', 'event', 'level', 'person', 'member_id', 'details'], ...rows]
    .map((row) => `${row.map(cell).join(',')}\r\n`)
    .join('')
}

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
