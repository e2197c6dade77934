import { resolve } from 'node:path'
import { readConfig } from '../../config.ts'
import { recordBackup } from '../backup/audit-backup.ts'
import { backUp } from '../backup/back-up.ts'
import { restore } from '../backup/restore.ts'
import type { Command } from '../command.ts'

const megabytes = (files: readonly { size: number }[]) =>
  `${(files.reduce((sum, { size }) => sum + size, 0) / 1e6).toFixed(1)} MB in ${files.length} files`

/** @param version version of the server */
export function backupCommands(version: string): readonly Command[] {
  const create: Command = {
    name: 'backup',
    summary: 'Back up the data folder and the database, while the server runs.',
    details:
      'All of it is as of one moment: database, recordings, keys and certificates. Whoever can read the backup can\n' +
      'act for the server: it is made readable to its owner alone. A certificate that PARLEY_TLS_CERT names lies\n' +
      'elsewhere and is not in it.',
    positionals: [{ name: 'folder', doc: 'Where it goes: a folder that is not there yet, or empty.' }],
    options: { json: { doc: 'Print JSON.' } },
    async run(context, args) {
      const { env, clock, say, note } = context
      const config = readConfig(env)
      const folder = resolve(args.positionals[0] ?? '')
      const { manifest, lost } = await backUp(config, folder, clock, version, {
        onBegin: () => recordBackup(config, context, { action: 'backup.create', details: { folder } }),
      })
      for (const file of lost) note(`The file of a recording is missing: ${file}`)
      if (args.has('json')) say(JSON.stringify({ folder, lost, ...manifest }))
      else say(`${folder}: ${megabytes(manifest.files)}`)
      return undefined
    },
  }

  const bringBack: Command = {
    name: 'restore',
    summary: 'Restore a backup into an empty data folder.',
    details:
      'The data folder is that of the configuration, or of --data-dir. A backup of PostgreSQL also goes into the\n' +
      'database of PARLEY_DATABASE_URL, which must be empty. Sessions that were in progress are completed, and their\n' +
      'recordings repaired, when the server starts.',
    positionals: [{ name: 'folder', doc: 'The backup.' }],
    options: { json: { doc: 'Print JSON.' } },
    async run(context, args) {
      const { env, say } = context
      const config = readConfig(env)
      const folder = resolve(args.positionals[0] ?? '')
      const manifest = await restore(config, folder, ({ created_at: as_of }) =>
        recordBackup(config, context, { action: 'backup.restore', details: { folder, as_of } }),
      )
      if (args.has('json')) say(JSON.stringify({ data_dir: config.dataDir, ...manifest }))
      else say(`${config.dataDir}: ${megabytes(manifest.files)}, as of ${manifest.created_at}`)
      return undefined
    },
  }

  return [create, bringBack]
}
