import { takeRealTimePriority } from '../../real-time.ts'
import { type Examination, ok, type Patient } from './finding.ts'

const SUBJECT = 'Priority'

/** Examines whether requests get priority over media. This process tries what the server does when it starts. */
export const priority: Examination = {
  subject: SUBJECT,
  async examine({ config }: Patient) {
    if (!config.realTime) return [ok(SUBJECT, 'requests wait for media by PARLEY_REAL_TIME')]
    const refusal = await takeRealTimePriority()
    if (refusal === undefined) return [ok(SUBJECT, 'requests go before media')]
    return [ok(SUBJECT, `requests may wait some milliseconds for media: ${refusal}`)]
  },
}
