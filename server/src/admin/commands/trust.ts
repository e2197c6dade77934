import { homedir } from 'node:os'
import { readConfig } from '../../config.ts'
import { type Command, EXIT, UsageError } from '../command.ts'
import { readAuthority } from '../trust/authority.ts'
import { changeStores, type Stores, thisMachine } from '../trust/change-stores.ts'
import type { Outcome } from '../trust/outcome.ts'

const STORES: readonly Stores[] = ['all', 'system', 'browsers']

const trust: Command = {
  name: 'trust',
  summary: "Make this machine and its browsers trust the server's own certificate, or stop that.",
  details:
    'The authority of the server goes into the store of the system, and into those of Chromium and Firefox\n' +
    'of the user who runs this. A store that has it already stays as it is. Where the user may not do it,\n' +
    'the commands are printed. Other machines and phones: open the page of PARLEY_HTTP_PORT there.\n' +
    'Exit code 1 when a store was not done.',
  options: {
    remove: { doc: 'Take the authority out again.' },
    only: { value: 'stores', doc: 'Only "system" or only "browsers".' },
    json: { doc: 'Print JSON.' },
  },
  async run({ env, say, note }, args) {
    const stores = STORES.find((one) => one === (args.text('only') ?? 'all'))
    if (stores === undefined) throw new UsageError('--only takes "system" or "browsers".')
    const config = readConfig(env)
    const authority = await readAuthority(config)
    const outcomes: Outcome[] = []
    if (!args.has('json')) {
      note(`${authority.name}, SHA-256 ${authority.certificate.fingerprint256}`)
      if (config.acmeEmail !== null) {
        note('PARLEY_ACME_EMAIL is set: once a certificate has come by ACME, this authority is not in use.')
      }
      if (config.tlsCert !== null) {
        note('PARLEY_TLS_CERT is set: the server serves that certificate, and this authority is not in use.')
      }
    }
    const machine = thisMachine(env, env.HOME || homedir())
    for await (const outcome of changeStores(
      args.has('remove') ? 'remove' : 'add',
      authority,
      stores,
      machine,
    )) {
      outcomes.push(outcome)
      if (!args.has('json')) say(shown(outcome))
    }
    if (args.has('json')) say(JSON.stringify(outcomes))
    else explain(outcomes, stores, note)
    return outcomes.some(({ status }) => status === 'not done') ? EXIT.failed : EXIT.done
  },
}

function shown({ status, store, place, reason, commands = [] }: Outcome): string {
  const lines = [`${status.padEnd(9)}  ${store}: ${place}`]
  if (reason !== undefined) lines.push(`           ${reason}`)
  return [...lines, ...commands.map((command) => `             ${command}`)].join('\n')
}

function explain(outcomes: readonly Outcome[], stores: Stores, note: (line: string) => void): void {
  if (stores !== 'system' && !outcomes.some(({ store }) => /Chrom|Firefox|Browsers/.test(store))) {
    note('No store of Chromium or Firefox was found for this user. A browser makes it at its first start.')
  }
  if (
    outcomes.some(
      ({ status, store }) => status !== 'unchanged' && status !== 'not done' && store === 'Firefox',
    )
  ) {
    note('A Firefox that is open takes it up when it is started again.')
  }
}

export const trustCommands: readonly Command[] = [trust]
