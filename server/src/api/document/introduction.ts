import { PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX } from '../../resources/paging.ts'
import { ERROR_PAGE } from '../conventions/errors.ts'
import { BODY_MAX_BYTES, BODY_MAX_LEVELS } from '../conventions/json-body.ts'

/** Introduction of the API document: the rules of all operations, in Markdown. */
export const introduction = `
Everything here is JSON over HTTPS, and nothing else: a request in plain HTTP is refused and never redirected.

**Credentials.** The server of a project signs in with Basic authentication: the id of the project is the user name, one of
its API tokens the password. A token carries scopes; operations of the video family want the scope \`video\`. The apps of
end users sign in with a bearer token: that of a subscriber, or of a guest, which is short-lived and sees less. Where the
operator has set up spaces, each is a host of its own, and the credentials of its projects work there alone.

**Bodies** are JSON objects in UTF-8 of up to ${BODY_MAX_BYTES / 1024} KiB, nested ${BODY_MAX_LEVELS} levels deep at most. Fields that are not named here are ignored. GET and
HEAD have none. In a request, null is as good as leaving out a field that is not required; in an update it resets the field
to its default, while an absent field keeps its value.
Text is counted in characters (code points), \`meta\` in characters of its JSON.

**Times** leave in UTC, such as \`2030-01-31T09:30:00Z\`. They may come as any date and time of RFC 3339, or as a date alone,
which is its midnight in UTC. They must exist in the calendar.

**Lists** come in pages: \`page_size\` is ${PAGE_SIZE_DEFAULT} unless given, ${PAGE_SIZE_MAX} at most. Follow \`links.next\` and \`links.prev\`, which are null at the
ends, instead of computing pages. What is created or deleted meanwhile neither repeats nor hides another item.

**Compression.** Long answers to GET are compressed if the request says so by \`Accept-Encoding\` (zstd, br, gzip). Those with
secrets never are. Bodies of requests come uncompressed.

**Errors** have one shape, whatever the status; every field at fault has an entry. Each \`code\` is explained on the
[error page](${ERROR_PAGE}).

**Trying again.** A POST with an \`Idempotency-Key\` can be sent again safely: for 24 hours the first answer is given again,
marked by \`Idempotency-Replayed: true\`. Every answer has an \`X-Request-Id\`, yours if you sent one, under which the logs of
the server have the request.

**Limits.** Requests are counted per project and minute; \`RateLimit-Limit\`, \`RateLimit-Remaining\` and \`RateLimit-Reset\` tell how many are left.
Beyond them the answer is 429 and says in \`Retry-After\` how many seconds to wait.
`.trim()

/** The groups of operations, in their order in the document. */
export const tags = [
  { name: 'Rooms', description: 'Where people meet: definitions that stay.' },
  { name: 'Room tokens', description: 'What lets one user into one room.' },
  { name: 'Room sessions', description: 'Running and finished instances of rooms.' },
  { name: 'Room recordings', description: 'Pictures and sound that were kept of sessions.' },
  { name: 'Conferences', description: 'Rooms with a theme, a size and tokens of their own.' },
  { name: 'Conference tokens', description: 'Secrets that let into a conference until they are reset.' },
  { name: 'Embedding', description: 'Which pages of other origins may embed conferences and rooms.' },
  { name: 'Streams', description: 'Where picture and sound of a room or conference are sent to.' },
  { name: 'Webhooks', description: 'Where the events of the project are sent to.' },
  { name: 'Logs', description: 'What happened in the project.' },
  { name: 'Subscribers and guests', description: 'Tokens of end users.' },
  { name: 'Addresses', description: 'What can be called.' },
  { name: 'Messages', description: 'What was written in conferences.' },
  { name: 'Calls', description: 'Every client that was in a session, as a call.' },
  { name: 'Chat', description: 'Tokens for chat channels.' },
  { name: 'Dashboard', description: 'What runs, what was used, and how the server does.' },
  { name: 'Users', description: 'People who may sign in to the project, and what they may do.' },
  { name: 'API tokens', description: 'What lets programs use this API.' },
  { name: 'Audit log', description: 'What administration did in the project.' },
  { name: 'Signing in', description: 'People who use the pages of this server with a session.' },
]
