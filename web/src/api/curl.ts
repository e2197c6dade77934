import type { SentRequest } from './sent-requests.ts'

/**
 * A request as a command for a shell. The API token is not in it: the shell has it in `PARLEY_TOKEN`.
 * @param origin such as `https://meet.example.org`
 */
export function curlOf(
  { method, path, body }: Pick<SentRequest, 'method' | 'path' | 'body'>,
  origin: string,
  projectId: string,
): string {
  const verb = method === 'GET' ? '' : ` -X ${method}`
  const lines = [`curl${verb} -u "${projectId}:$PARLEY_TOKEN" ${quoted(origin + path)}`]
  if (body !== null) lines.push(`  -H 'Content-Type: application/json'`, `  -d ${quoted(body)}`)
  return lines.join(' \\\n')
}

/** Whether an API token can do it, too: only people sign in, and have a password. */
export const isForPrograms = (path: string): boolean =>
  !/^\/api\/dashboard\/(session|sessions|password|sign_in_link)(\/|\?|$)/.test(path)

/** A text for a POSIX shell, which leaves all of it as it is. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
