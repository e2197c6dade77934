import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { timePasses } from './time-passes.ts'

const execute = promisify(execFile)
const DEBIAN_FOLDER = '/usr/lib/postgresql'
const START_MS = 20_000

/** A separate PostgreSQL server for tests, in a temporary folder, on a Unix socket. */
export interface TemporaryCluster {
  /** Creates an empty database and returns its URL. */
  createDatabase(): Promise<string>
  /** Runs statements in one of its databases. */
  run(url: string, sql: string): Promise<string>
  /** Stops at once, as at a restart of the machine. Pending work is aborted. */
  stop(): Promise<void>
  /** Kills all its processes, as at a loss of power. */
  kill(): Promise<void>
  start(): Promise<void>
  /** Stops all its processes with SIGSTOP. Connections stay open without an answer. */
  pause(): void
  /** Continues, and handles the requests from before and during the pause. */
  resume(): void
  /** Where it listens. */
  readonly socket: string
  /** Starts a copy of it that follows it. From then on, it answers no commit that the copy does not have. */
  startStandby(): Promise<TemporaryCluster>
  /** Makes a standby the primary. */
  promote(): Promise<void>
  /** Stops the server and deletes everything. */
  remove(): Promise<void>
}

/** The program folder of the newest installed version. */
function programs(): string {
  const versions = existsSync(DEBIAN_FOLDER) ? readdirSync(DEBIAN_FOLDER) : []
  const newest = versions.sort((a, b) => Number(b) - Number(a))[0]
  const folder = join(DEBIAN_FOLDER, newest ?? '', 'bin')
  if (!existsSync(join(folder, 'postgres'))) {
    throw new Error('PostgreSQL is not installed: sudo apt-get install --no-install-recommends postgresql')
  }
  return folder
}

/** PostgreSQL refuses to run as root. In that case it runs as the user of its package. */
function asItsUser(command: string, args: readonly string[]): [string, string[]] {
  if (userInfo().uid !== 0) return [command, [...args]]
  return ['runuser', ['-u', 'postgres', '--', command, ...args]]
}

/** @throws when PostgreSQL is not installed */
export async function temporaryCluster(): Promise<TemporaryCluster> {
  // Not the default collation, so that tests notice code that depends on the collation.
  const locale = ['--encoding=UTF8', '--locale-provider=icu', '--icu-locale=en', '--locale=C.UTF-8']
  return startCluster('initdb', ['--username=parley', '--auth=trust', '--no-sync', ...locale])
}

/** @param maker the program that fills the folder for the data */
async function startCluster(maker: string, options: readonly string[]): Promise<TemporaryCluster> {
  const bin = programs()
  const folder = mkdtempSync(join(tmpdir(), 'parley-postgres-'))
  if (userInfo().uid === 0) await execute('chown', ['postgres', folder])
  const data = join(folder, 'data')
  await execute(...asItsUser(join(bin, maker), ['--pgdata', data, ...options]), { cwd: folder })
  const socket = join(folder, '.s.PGSQL.5432')
  const query = (sql: string) =>
    execute(join(bin, 'psql'), ['-h', folder, '-U', 'parley', '-d', 'postgres', '-qAtc', sql])

  let server: ChildProcess | undefined
  let databases = 0
  let paused: number[] = []
  function pause(): void {
    const [first = ''] = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')
    const postmaster = Number(first)
    // The postmaster starts the other processes. It is stopped first, so that no new process appears.
    process.kill(postmaster, 'SIGSTOP')
    const children = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8')
    paused = (children.match(/\d+/g) ?? []).map(Number)
    for (const pid of paused) process.kill(pid, 'SIGSTOP')
    paused.push(postmaster)
  }
  async function kill(): Promise<void> {
    const killed = server
    server = undefined
    if (!killed || killed.exitCode !== null) return
    const exited = new Promise((resolve) => killed.once('exit', resolve))
    pause()
    for (const pid of paused) process.kill(pid, 'SIGKILL')
    paused = []
    killed.kill('SIGCONT')
    await exited
  }
  function resume(): void {
    // The program that switches the user stops together with PostgreSQL, so it needs SIGCONT as well.
    if (paused.length > 0) server?.kill('SIGCONT')
    for (const pid of paused) process.kill(pid, 'SIGCONT')
    paused = []
  }

  /** @param mode `immediate` writes nothing more to disk */
  async function end(mode: 'fast' | 'immediate'): Promise<void> {
    resume()
    const stopping = server
    server = undefined
    if (!stopping || stopping.exitCode !== null) return
    const exited = new Promise((resolve) => stopping.once('exit', resolve))
    await execute(...asItsUser(join(bin, 'pg_ctl'), ['stop', '-D', data, '-m', mode]), { cwd: folder })
    await exited
  }

  const cluster: TemporaryCluster = {
    async createDatabase() {
      const name = `test_${++databases}`
      await query(`create database ${name}`)
      return `postgres://parley@localhost/${name}?host=${encodeURIComponent(folder)}`
    },
    async run(url, sql) {
      return (await execute(join(bin, 'psql'), ['-qAtc', sql, url])).stdout
    },
    async start() {
      const settings = ['-k', folder, '-c', 'listen_addresses=', '-c', 'fsync=off']
      const started = spawn(...asItsUser(join(bin, 'postgres'), ['-D', data, ...settings]), {
        cwd: folder,
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      server = started
      let said = ''
      started.stderr?.on('data', (text) => {
        said = `${said}${text}`.slice(-4000)
      })
      const giveUpAt = performance.now() + START_MS
      while (!existsSync(socket) || !(await isReady(query))) {
        if (started.exitCode !== null || performance.now() > giveUpAt) {
          throw new Error(`PostgreSQL does not start: ${said}`)
        }
        await timePasses(50, 'PostgreSQL starts')
      }
    },
    socket,
    async startStandby() {
      // The options of the connection are kept for the standby itself.
      const from = ['--host', folder, '--username', 'parley', '--write-recovery-conf', '--checkpoint=fast']
      const standby = await startCluster('pg_basebackup', from)
      await query(`alter system set synchronous_standby_names = '*'`)
      await query('select pg_reload_conf()')
      const synchronous = `select count(*) from pg_stat_replication where sync_state = 'sync'`
      while ((await query(synchronous)).stdout.trim() !== '1') await timePasses(50, 'it follows')
      return standby
    },
    async promote() {
      await query('select pg_promote()')
    },
    stop: () => end('fast'),
    kill,
    pause,
    resume,
    async remove() {
      await end('immediate')
      rmSync(folder, { recursive: true, force: true })
    },
  }
  await cluster.start()
  return cluster
}

async function isReady(query: (sql: string) => Promise<unknown>): Promise<boolean> {
  try {
    await query('select 1')
    return true
  } catch {
    return false
  }
}
