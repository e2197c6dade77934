import { resolve } from 'node:path'
import { absent, BadValue, literal, type Option, option, secret } from './option.ts'
import { megabytes, projectId } from './texts.ts'

/** Several hosts in one URL, as libpq takes them. The driver takes one. A password may have commas too. */
const SEVERAL_HOSTS = /^[a-z]+:\/\/(?:[^/]*@)?[^/@]*,[^/@]*(?:\/|$)/

function databaseUrl(text: string): string {
  if (SEVERAL_HOSTS.test(text)) {
    throw new BadValue('a URL with one host. docs/scaling.md says how one address leads to several servers')
  }
  const isPostgres = URL.canParse(text) && /^postgres(ql)?:$/.test(new URL(text).protocol)
  if (!isPostgres) throw new BadValue('a URL such as postgres://user:password@host:5432/database')
  return text
}

function apiToken(text: string): string {
  if (!/^[\x21-\x7e]{8,500}$/.test(text))
    throw new BadValue('8 to 500 printable ASCII characters without spaces')
  return text
}

function rootKey(text: string): string {
  // 64 bytes in base64 (RFC 4648, section 4).
  if (!/^[A-Za-z0-9+/]{85}[AQgw]==$/.test(text)) {
    throw new BadValue('64 random bytes in base64, as `openssl rand -base64 64 | tr -d "\\n"` writes them')
  }
  return text
}

/** Where data is kept, and the first project. */
export const dataOptions = {
  dataDir: option(
    'PARLEY_DATA_DIR',
    'folder',
    { text: './data', value: () => resolve('data') },
    'Folder of everything that is kept: database, certificates, recordings.',
    (text) => resolve(text),
  ),
  backupDir: option(
    'PARLEY_BACKUP_DIR',
    'folder',
    absent('(backups in the data folder)'),
    'Where backups go that are started on the dashboard: best on another disk.',
    (text) => resolve(text),
  ) as Option<string | null>,
  minFreeBytes: option(
    'PARLEY_MIN_FREE_MB',
    'megabytes',
    literal('500', 500e6),
    'With less free in the data folder no recording is started, and with half of it those that run are finished.',
    megabytes(0, 1_000_000),
  ),
  databaseUrl: secret(
    option(
      'PARLEY_DATABASE_URL',
      'URL',
      absent('(SQLite in the data folder)'),
      'PostgreSQL to use instead of the embedded database: postgres://user:password@host:5432/database.',
      databaseUrl,
    ) as Option<string | null>,
  ),
  rootKey: secret(
    option(
      'PARLEY_ROOT_KEY',
      'secret',
      absent('(secrets/root.key in the data folder)'),
      'What tokens and links are signed with, 64 bytes in base64. All servers on one database need the same.',
      rootKey,
    ) as Option<string | null>,
  ),
  projectId: option(
    'PARLEY_PROJECT_ID',
    'text',
    absent('(generated at the first start)'),
    'Id of the first project; user name of the Basic authentication.',
    projectId,
  ) as Option<string | null>,
  apiToken: secret(
    option(
      'PARLEY_API_TOKEN',
      'secret',
      absent('(generated at the first start)'),
      'API token of the first project with every scope; only its hash is stored.',
      apiToken,
    ) as Option<string | null>,
  ),
}
