/** Parameters whose values are no secrets: those of paging, and filters of the lists. */
const OPEN_PARAMETERS: ReadonlySet<string> = new Set([
  'display_name',
  'include_active_session',
  'media_ttl',
  'method',
  'name',
  'page_number',
  'page_size',
  'period',
  'since',
  'sort_by',
  'sort_order',
  'status',
  'type',
  'until',
])

/** Stands for what is not shown. */
export const HIDDEN = '***'

/** A path with its query. Of parameters that may carry a secret only the name is left. */
export function shownPath(url: string): string {
  const start = url.indexOf('?')
  if (start < 0) return url
  const parameters = url
    .slice(start + 1)
    .split('&')
    .map(shownParameter)
  return `${url.slice(0, start)}?${parameters.join('&')}`
}

function shownParameter(parameter: string): string {
  const [name = '', value] = parameter.split('=', 2)
  if (value === undefined || !/^[A-Za-z_]{1,40}$/.test(name)) return HIDDEN
  return OPEN_PARAMETERS.has(name) ? `${name}=${value}` : `${name}=${HIDDEN}`
}
