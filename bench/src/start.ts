/**
 * Time of the start of a server that has been started before on the same data: from the command until `/readyz`
 * answers, media workers included.
 */
import { median } from '../median.ts'
import { onAServer } from '../on-a-server.ts'
import { report } from '../report.ts'

const STARTS = 7
const LIMIT_S = 1.5

await onAServer('start', {}, async ({ server }) => {
  const times: number[] = []
  for (let start = 0; start < STARTS; start++) {
    await server.stop()
    const fromMs = performance.now()
    await server.launch()
    times.push((performance.now() - fromMs) / 1000)
  }
  console.log(`starts: ${times.map((time) => time.toFixed(2)).join(' ')} s`)
  const what = 'a further start until the server is ready, median'
  report({ what, value: median(times), unit: 's', limit: LIMIT_S, direction: 'at most' })
})
