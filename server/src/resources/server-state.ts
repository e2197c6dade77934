import { type Static, Type } from 'typebox'
import { Answer, Nullable, OneOf, Timestamp } from './building-blocks.ts'

/** The server itself: its version, its configuration, its backups, and whether it takes new sessions. */

export const ServerVersion = Answer(
  {
    version: Type.String({ examples: ['0.2.0'], description: 'Version of Parley that runs.' }),
    node: Type.String({ examples: ['v24.11.0'], description: 'Version of Node.js that runs it.' }),
    platform: Type.String({
      examples: ['linux x64'],
      description: 'Operating system and kind of processor.',
    }),
    started_at: Timestamp({ description: 'Since when it runs.' }),
  },
  { title: 'ServerVersion', description: 'What runs, and since when.' },
)

const ConfigurationValue = Answer(
  {
    name: Type.String({ examples: ['PARLEY_PORT'], description: 'Name of the environment variable.' }),
    value: Nullable(
      Type.String({
        examples: ['8443'],
        description: 'The value in effect; null for none, and `(secret)` for one that is never shown.',
      }),
    ),
    source: OneOf(['environment', 'default'], {
      examples: ['default'],
      description: 'Where the value came from.',
    }),
    description: Type.String({ examples: ['TCP port for HTTPS.'], description: 'What it is for.' }),
  },
  { title: 'ConfigurationValue', description: 'One option of the server.' },
)

export const Configuration = Answer(
  {
    data: Type.Array(ConfigurationValue, { description: 'All options.' }),
    unknown: Type.Array(Type.String(), {
      examples: [['PARLEY_PROT']],
      description: 'Variables that look like options, but are none: most likely misspelt.',
    }),
  },
  { title: 'Configuration', description: 'The configuration of the server as it was read at its start.' },
)
export type Configuration = Static<typeof Configuration>

export const Drain = Answer(
  {
    draining: Type.Boolean({ examples: [false], description: 'Whether no new session begins.' }),
    sessions: Type.Integer({ examples: [2], description: 'Sessions that still run, of all projects.' }),
  },
  {
    title: 'Drain',
    description: 'Whether the server is being emptied, for a restart without an interruption.',
  },
)

export const SetDrainBody = Type.Object(
  {
    draining: Type.Boolean({
      examples: [false],
      description: 'Whether no new session may begin. Those that run go on, and people may join them.',
    }),
  },
  { title: 'SetDrain', description: 'Whether the server takes new sessions.' },
)

const KeptBackup = Answer(
  {
    name: Type.String({ examples: ['2030-01-31T09-30-00Z'], description: 'Name of its folder.' }),
    created_at: Timestamp({ description: 'The moment that it is of.' }),
    bytes: Type.Integer({ examples: [52_428_800], description: 'Its size.' }),
    version: Type.String({ examples: ['0.2.0'], description: 'Version of the server that made it.' }),
  },
  { title: 'KeptBackup', description: 'A complete backup.' },
)

export const Backups = Answer(
  {
    folder: Type.String({
      examples: ['/var/lib/parley/backups'],
      description: 'Where they are on the server.',
    }),
    free_bytes: Type.Integer({ examples: [250_000_000_000], description: 'Free space there.' }),
    running: Type.Boolean({ examples: [false], description: 'Whether one is being made.' }),
    copied_bytes: Type.Integer({ examples: [0], description: 'What the one that is being made has so far.' }),
    problem: Nullable(
      Type.String({
        examples: ['There is no backup: the disk is full.'],
        description: 'Why the last attempt since the start of the server failed; null if it did not.',
      }),
    ),
    data: Type.Array(KeptBackup, { description: 'Those that are there, newest first.' }),
  },
  { title: 'Backups', description: 'The backups in the folder of the server.' },
)
