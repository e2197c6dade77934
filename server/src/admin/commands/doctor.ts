import { readConfig } from '../../config.ts'
import { type Command, EXIT } from '../command.ts'
import type { Finding } from '../doctor/finding.ts'

const doctor: Command = {
  name: 'doctor',
  summary:
    'Check this installation: programs, clock, disk, database, certificate, ports, UDP reachability, TURN.',
  details: 'The server may run or not. Exit code 1 when something fails; warnings do not count.',
  options: { json: { doc: 'Print JSON.' } },
  async run({ env, clock, say }, args) {
    const config = readConfig(env)
    // Imported here, because its many modules would slow down all other commands.
    const { examine } = await import('../doctor/examinations.ts')
    const findings: Finding[] = []
    for await (const finding of examine({ config, env, clock })) {
      findings.push(finding)
      if (!args.has('json')) say(shown(finding))
    }
    if (args.has('json')) say(JSON.stringify(findings))
    return findings.some(({ status }) => status === 'failed') ? EXIT.failed : EXIT.done
  },
}

function shown({ status, subject, detail, advice }: Finding): string {
  const line = `${status.padEnd(7)}  ${subject.padEnd(22)}  ${detail}`
  return advice ? `${line}\n${' '.repeat(33)}${advice}` : line
}

export const doctorCommands: readonly Command[] = [doctor]
