import { unknownOptions } from '../../config.ts'
import { acme } from './acme.ts'
import { certificate } from './certificate.ts'
import { cluster } from './cluster.ts'
import { database } from './database.ts'
import { disk } from './disk.ts'
import { fileDescriptors } from './file-descriptors.ts'
import { type Examination, type Finding, failed, ok, type Patient, warning } from './finding.ts'
import { httpPort } from './http-port.ts'
import { mediaPorts } from './media-ports.ts'
import { objectStore } from './object-store.ts'
import { priority } from './priority.ts'
import { programs } from './programs.ts'
import { time } from './time.ts'
import { turn } from './turn.ts'
import { webPort } from './web-port.ts'

const configuration: Examination = {
  subject: 'Configuration',
  async examine({ env }) {
    const unknown = unknownOptions(env)
    if (unknown.length === 0) return [ok('Configuration', 'can be read')]
    return [warning('Configuration', `no such option: ${unknown.join(', ')}`, 'Is it misspelt?')]
  },
}

const all: readonly Examination[] = [
  programs,
  configuration,
  time,
  priority,
  fileDescriptors,
  disk,
  database,
  cluster,
  objectStore,
  certificate,
  acme,
  webPort,
  httpPort,
  mediaPorts,
  turn,
]

/** Examines an installation, whether its server runs or not. */
export async function* examine(patient: Patient): AsyncGenerator<Finding> {
  for (const { subject, examine: look } of all) {
    try {
      yield* await look(patient)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      yield failed(subject, `could not be examined: ${reason}`, 'See whether it is there and may be read.')
    }
  }
}
