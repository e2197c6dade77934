/** `npm run soak`: `--minutes N` of churn, or `--kills N`; a minute of churn where nothing is said. */
import { parseArgs } from 'node:util'
import { soakChurn } from './churn.ts'
import { soakKills } from './kills.ts'

const { values } = parseArgs({ options: { minutes: { type: 'string' }, kills: { type: 'string' } } })
const number = (text: string | undefined) => (text === undefined ? 0 : Number(text))
if (values.kills !== undefined) await soakKills(number(values.kills))
if (values.minutes !== undefined || values.kills === undefined) await soakChurn(number(values.minutes) || 1)
process.exit(0)
