import { literal, option } from './option.ts'
import { integer } from './texts.ts'

/** Limits on requests. */
export const requestOptions = {
  requestsPerMinute: option(
    'PARLEY_REQUESTS_PER_MINUTE',
    'number',
    literal('6000', 6000),
    'Requests to the API that one project may make in a minute; 0 for no limit.',
    integer(0, 100_000_000),
  ),
  failedSignInsPerMinute: option(
    'PARLEY_FAILED_SIGN_INS_PER_MINUTE',
    'number',
    literal('60', 60),
    'Wrong credentials that one address may send in a minute before its guesses are slowed down; 0 for no limit.',
    integer(0, 100_000_000),
  ),
}
