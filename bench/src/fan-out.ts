/**
 * CPU time per packet of picture and sound that are sent to 100 receivers, with reports, feedback, and one packet of a
 * hundred asked for once more. Compares this server with Debian's Janus and its video room, which is measured with a
 * thread for each connection, as it comes, and with one event loop for each core; the cheaper one counts. Both get the
 * same publisher and receivers, whose process does not count.
 */
import { availableParallelism } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readConfig } from '../../server/src/config.ts'
import { cpuSeconds } from '../cpu-time.ts'
import { Janus } from '../fan-out/janus.ts'
import { LoadProcess } from '../fan-out/load-process.ts'
import { Helper } from '../helper.ts'
import { report } from '../report.ts'

const RECEIVERS = 100
/** DTLS handshakes and first keyframes are done after this time. */
const SETTLE_MS = 4000
const MEASURE_MS = 12_000
const LIMIT = 0.15
const LIMIT_US = 3

/** @returns microseconds of CPU time per packet that reached a receiver */
async function measure(pid: number, load: LoadProcess): Promise<number> {
  await sleep(SETTLE_MS)
  const before = { cpu: cpuSeconds(pid), packets: await load.count() }
  await sleep(MEASURE_MS)
  const after = { cpu: cpuSeconds(pid), packets: await load.count() }
  const got = (of: 'packets' | 'sound' | 'repeated') =>
    after.packets.map((received, index) => received[of] - before.packets[index]![of])
  const packets = got('packets')
  if (packets.length !== RECEIVERS) throw new Error(`there are only ${packets.length} receivers`)
  if (Math.min(...got('sound'), ...got('repeated')) === 0)
    throw new Error('a receiver got no sound, or nothing that it had asked for again')
  if (Math.min(...packets) < 0.9 * Math.max(...packets)) throw new Error('the receivers do not receive alike')
  const total = packets.reduce((sum, count) => sum + count, 0)
  process.stdout.write(`${Math.round(total / (MEASURE_MS / 1000))} packets a second\n`)
  return ((after.cpu - before.cpu) * 1e6) / total
}

/** @param transport value of PARLEY_RTC_TRANSPORT */
async function ours(transport: string): Promise<number> {
  const load = new LoadProcess()
  const server = new Helper(path.join(import.meta.dirname, '../fan-out/own-server.ts'), {
    PARLEY_RTC_TRANSPORT: transport,
  })
  const connect = async (legId: string, offer: string) => {
    const answer = await server.ask({ legId, offer })
    await load.takeAnswer(legId, answer as string)
  }
  try {
    await connect('publisher', await load.offerToSend('publisher'))
    for (let i = 0; i < RECEIVERS; i++) {
      const legId = `receiver ${i}`
      await connect(legId, await load.offerToReceive(legId))
    }
    return await measure(server.pid, load)
  } finally {
    load.close()
    server.close()
  }
}

async function janus(eventLoops: number): Promise<number> {
  const load = new LoadProcess()
  const server = await Janus.start(eventLoops)
  try {
    const offer = await load.offerToSend('publisher')
    const feed = await server.publish(offer, (answer) => load.takeAnswer('publisher', answer))
    for (let i = 0; i < RECEIVERS; i++) {
      await server.subscribe(feed, (offer) => load.answer(`receiver ${i}`, offer))
    }
    return await measure(server.pid, load)
  } finally {
    load.close()
    await server.close()
  }
}

const byDefault = readConfig({}).rtcTransport
const other = byDefault === 'openssl' ? 'libdatachannel' : 'openssl'
const own = await ours(byDefault)
const what = `CPU per packet to ${RECEIVERS} receivers`
report({
  what: `${what}, ours (${byDefault})`,
  value: own,
  unit: 'us',
  limit: LIMIT_US,
  direction: 'at most',
})
report({ what: `${what}, ours (${other})`, value: await ours(other), unit: 'us' })
const withThreads = await janus(0)
report({ what: `${what}, Janus with a thread for each`, value: withThreads, unit: 'us' })
const withLoops = await janus(availableParallelism())
report({ what: `${what}, Janus with event loops`, value: withLoops, unit: 'us' })
const theirs = Math.min(withThreads, withLoops)
report({ what: 'fan-out: ours to Janus', value: own / theirs, limit: LIMIT, direction: 'at most' })
