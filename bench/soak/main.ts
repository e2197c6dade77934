/** `npm run soak`: `--minutes N` runs the churn, `--kills N` the kills. By default one minute of churn. */
import { parseArgs } from 'node:util'
import { soakChurn } from './churn.ts'
import { soakKills } from './kills.ts'

const { values } = parseArgs({ options: { minutes: { type: 'string' }, kills: { type: 'string' } } })
const number = (text: string | undefined) => (text === undefined ? 0 : Number(text))
if (values.kills !== undefined) await soakKills(number(values.kills))
if (values.minutes !== undefined || values.kills === undefined) await soakChurn(number(values.minutes) || 1)
process.exit(0)
