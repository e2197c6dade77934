import { setTimeout as wait } from 'node:timers/promises'
import { readConfig } from '../../config.ts'
import { OperatorError } from '../../errors/operator-error.ts'
import { processHolding } from '../../storage/data-folder.ts'
import { type Command, EXIT } from '../command.ts'

const LOOK_MS = 500

const drain: Command = {
  name: 'drain',
  summary: 'Stop the server of this data folder once its meetings have ended.',
  details:
    'It begins no more meetings, waits up to PARLEY_DRAIN_SECONDS (as the server was started) for those that run, and ends. In a cluster, those that are left go on at another node. The same as SIGTERM, and waits for the end.',
  options: { json: { doc: 'Print JSON, once the server has ended.' } },
  async run({ env, say }, args) {
    const { dataDir } = readConfig(env)
    const pid = processHolding(dataDir)
    if (pid === null || !tell(pid, 'SIGTERM')) {
      throw new OperatorError(`No server of this machine runs on ${dataDir}.`)
    }
    const isForPeople = !args.has('json')
    if (isForPeople) say(`The server (process ${pid}) begins no more meetings.`)
    while (tell(pid, 0)) await wait(LOOK_MS)
    say(isForPeople ? 'It has ended.' : JSON.stringify({ ended: pid }))
    return EXIT.done
  },
}

/** @returns false when there is no such process */
function tell(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
    throw error
  }
}

export const drainCommands: readonly Command[] = [drain]
