import { formatMoment } from '../../resources/dates.ts'
import type { LoggedRequest } from '../../resources/logged-request.ts'
import type { NumberedRequest } from './request-ring.ts'

/** Shows a request of the log. */
export const showLoggedRequest = (request: NumberedRequest): LoggedRequest => ({
  id: String(request.number),
  request_id: request.requestId,
  time: formatMoment(request.at),
  method: request.method,
  path: request.path,
  status: request.status,
  duration_ms: request.durationMs,
  credential_kind: request.credentialKind,
  credential_name: request.credentialName || null,
  error_code: request.errorCode,
})
