import { randomBytes } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { storeProblem } from '../../object-store/object-store.ts'
import { openStore } from '../../object-store/open-store.ts'
import { type Examination, type Finding, failed, ok, type Patient, warning } from './finding.ts'

const SUBJECT = 'Object store'
/** Every two seconds each recording sends a fragment, and has to be done before the next one. */
const SLOW_MS = 1000

/** A recording stays on the disk of the node that made it. */
const NONE_IN_CLUSTER = [
  'none, but there are several nodes: a recording can be played only while the node that made it runs',
  'Set PARLEY_S3_BUCKET on all nodes, then run `parley media move` on each.',
] as const

/** Examines the store of objects: writes an object, reads, lists and removes it. */
export const objectStore: Examination = {
  subject: SUBJECT,
  async examine({ config }: Patient): Promise<Finding[]> {
    const store = await openStore(config)
    if (!store) return config.natsUrls === null ? [] : [warning(SUBJECT, ...NONE_IN_CLUSTER)]
    const key = `doctor/${randomBytes(8).toString('hex')}`
    const content = randomBytes(64 * 1024)
    let step = 'write'
    try {
      const from = performance.now()
      await store.put(key, content, 'application/octet-stream')
      const tookMs = performance.now() - from
      step = 'read'
      const read = await buffer(await store.get(key, { first: 10, last: 19 }))
      if (!read.equals(content.subarray(10, 20))) {
        return [failed(SUBJECT, `${store.place}: a range comes back changed`, 'Use another store.')]
      }
      step = 'list'
      const listed = await store.list('doctor/').next()
      if (listed.done) return [failed(SUBJECT, `${store.place}: lists nothing`, 'Use another store.')]
      step = 'remove'
      await store.remove(key)
      const detail = `${store.place}; takes 64 KB in ${tookMs.toFixed(0)} ms`
      const advice = 'Recordings that run are stored late then. Use a store that is nearer.'
      return [tookMs > SLOW_MS ? warning(SUBJECT, detail, advice) : ok(SUBJECT, detail)]
    } catch (error) {
      const advice =
        'Compare the options PARLEY_S3_… with the store. The key must be allowed to list, read, write and delete in the bucket.'
      return [failed(SUBJECT, `${store.place}: cannot ${step}: ${storeProblem(error)}`, advice)]
    } finally {
      store.close()
    }
  },
}
