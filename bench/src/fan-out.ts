/**
 * CPU time per packet of a picture that is sent to 100 receivers, with reports and NACK history on. Compares this
 * server with Debian's Janus and its video room. Both get the same publisher and receivers, whose process does not
 * count.
 */
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { cpuSeconds } from '../cpu-time.ts'
import { Janus } from '../fan-out/janus.ts'
import { LoadProcess } from '../fan-out/load-process.ts'
import { Helper } from '../helper.ts'
import { report } from '../report.ts'

const RECEIVERS = 100
/** DTLS handshakes and first keyframes are done after this time. */
const SETTLE_MS = 4000
const MEASURE_MS = 12_000
const LIMIT = 0.8

/** @returns microseconds of CPU time per packet that reached a receiver */
async function measure(pid: number, load: LoadProcess): Promise<number> {
  await sleep(SETTLE_MS)
  const before = { cpu: cpuSeconds(pid), packets: await load.count() }
  await sleep(MEASURE_MS)
  const after = { cpu: cpuSeconds(pid), packets: await load.count() }
  if (before.packets.length !== RECEIVERS) throw new Error(`only ${before.packets.length} receivers receive`)
  const packets = after.packets.map((count, index) => count - before.packets[index]!)
  if (Math.min(...packets) < 0.9 * Math.max(...packets)) throw new Error('the receivers do not receive alike')
  const total = packets.reduce((sum, count) => sum + count, 0)
  process.stdout.write(`${Math.round(total / (MEASURE_MS / 1000))} packets a second\n`)
  return ((after.cpu - before.cpu) * 1e6) / total
}

async function ours(): Promise<number> {
  const load = new LoadProcess()
  const server = new Helper(path.join(import.meta.dirname, '../fan-out/own-server.ts'))
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

async function janus(): Promise<number> {
  const load = new LoadProcess()
  const server = await Janus.start()
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

const own = await ours()
report({ what: `CPU per packet to ${RECEIVERS} receivers, ours`, value: own, unit: 'us' })
const theirs = await janus()
report({ what: `CPU per packet to ${RECEIVERS} receivers, Janus`, value: theirs, unit: 'us' })
report({ what: 'fan-out: ours to Janus', value: own / theirs, limit: LIMIT, direction: 'at most' })
