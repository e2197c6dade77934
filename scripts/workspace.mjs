/**
 * Helpers that the commands of this folder share: progress lines, child processes, and the preparation of the
 * workspace. Runs on Node 20 without any package, because this module installs the packages.
 */
import { spawn } from 'node:child_process'
import { accessSync, constants, existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** The repository's folder. */
export const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))

/** A problem that the person at the keyboard has to solve. It is shown without a stack. */
export class Refusal extends Error {
  /** @override */
  name = 'Refusal'
}

const startedAtMs = performance.now()

/** Prints one line of progress with the seconds since the command started. @param {string} text */
export function progress(text) {
  const seconds = ((performance.now() - startedAtMs) / 1000).toFixed(1)
  console.log(`[${seconds.padStart(6)} s] ${text}`)
}

/** @param {number} fromMs */
const secondsSince = (fromMs) => ((performance.now() - fromMs) / 1000).toFixed(1)

/**
 * The environment for tools outside the workspace. npm must not run on the Node that it is about to replace, so the
 * folders that npm itself put at the front of the path are removed.
 * @returns {NodeJS.ProcessEnv}
 */
export function outerEnvironment() {
  const folders = (process.env.PATH ?? '').split(path.delimiter)
  const outer = folders.filter((folder) => !/node_modules[\\/]\.bin$|node-gyp-bin$/.test(folder))
  return { ...process.env, PATH: outer.join(path.delimiter) }
}

/**
 * The Node that the server runs on. On Linux it is an npm package whose hash is in the lock file. The registry has no
 * such package for macOS: there the machine's own Node is used, and it must be new enough.
 */
export const pinnedNode =
  process.platform === 'linux'
    ? path.join(root, 'node_modules', `node-linux-${process.arch}`, 'bin', 'node')
    : process.execPath

/** The oldest Node that the server runs on. */
const SERVER_NODE_MAJOR = 24

/**
 * The environment for everything inside the workspace. The workspace's own tools and the pinned Node come first.
 * @returns {NodeJS.ProcessEnv}
 */
export function innerEnvironment() {
  const outer = outerEnvironment()
  const bin = path.join(root, 'node_modules', '.bin')
  return { ...outer, PATH: `${bin}${path.delimiter}${outer.PATH}` }
}

/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set()

/** Passes a signal on to the running child processes and exits with the shell's code for that signal. */
export function stopOnSignals() {
  for (const [signal, number] of /** @type {const} */ ([
    ['SIGINT', 2],
    ['SIGTERM', 15],
    ['SIGHUP', 1],
  ])) {
    process.once(signal, () => {
      for (const child of running) child.kill(signal)
      process.exit(128 + number)
    })
  }
}

/**
 * @typedef {object} RunOptions
 * @property {NodeJS.ProcessEnv} [env] defaults to {@link innerEnvironment}
 * @property {string} [cwd] defaults to the repository's folder
 * @property {boolean} [quiet] captures the output instead of showing it
 */

/**
 * Runs a program to its end.
 * @param {string} command
 * @param {string[]} args
 * @param {RunOptions} [options]
 * @returns {Promise<{ code: number, output: string }>} `output` is filled only with `quiet`; code 127: no such program
 */
export function run(command, args, { env = innerEnvironment(), cwd = root, quiet = false } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, stdio: quiet ? ['ignore', 'pipe', 'pipe'] : 'inherit' })
    running.add(child)
    let output = ''
    child.stdout?.setEncoding('utf8').on('data', (text) => (output += text))
    child.stderr?.setEncoding('utf8').on('data', (text) => (output += text))
    child.on('error', (error) => {
      running.delete(child)
      if ('code' in error && error.code === 'ENOENT') resolve({ code: 127, output: `${command}: not found` })
      else reject(error)
    })
    child.on('close', (code) => {
      running.delete(child)
      resolve({ code: code ?? 1, output })
    })
  })
}

const STILL_RUNNING_EVERY_MS = 20_000

/**
 * Announces a step, runs it, and prints how long it took.
 * @template T
 * @param {string} name printed before "…"
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function step(name, work) {
  const fromMs = performance.now()
  progress(`${name} …`)
  const ticker = setInterval(
    () => progress(`${name}: ${secondsSince(fromMs)} s so far`),
    STILL_RUNNING_EVERY_MS,
  )
  try {
    const result = await work()
    progress(`${name}: done in ${secondsSince(fromMs)} s`)
    return result
  } catch (error) {
    progress(`${name}: failed after ${secondsSince(fromMs)} s`)
    throw error
  } finally {
    clearInterval(ticker)
  }
}

/** @throws {Refusal} if the prebuilt parts of the server do not exist for this machine, or its Node is too old */
export function checkMachine() {
  const major = Number(process.versions.node.split('.')[0])
  if (major < 20) {
    throw new Refusal(`Parley needs Node 20 or newer to start; this is Node ${process.versions.node}.
Install a current one from https://nodejs.org or with your system's packages. (The server itself runs on a Node of its own.)`)
  }
  const platform = `${process.platform}-${process.arch}`
  const supported = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64']
  if (!supported.includes(platform)) {
    throw new Refusal(`Parley does not run on ${platform}: its media libraries come prebuilt for ${supported.join(', ')}.
On Windows, use WSL 2 with Debian or Ubuntu.`)
  }
  if (process.platform === 'darwin' && major < SERVER_NODE_MAJOR) {
    throw new Refusal(`On macOS Parley runs on the machine's own Node, and needs Node ${SERVER_NODE_MAJOR} or newer; this is Node ${process.versions.node}.
Install a current one from https://nodejs.org.`)
  }
  const report = /** @type {{ header?: { glibcVersionRuntime?: string } }} */ (
    process.report?.getReport() ?? {}
  )
  if (process.platform === 'linux' && report.header && !report.header.glibcVersionRuntime) {
    throw new Refusal(
      'Parley needs a Linux with glibc (Debian, Ubuntu, Fedora ...); this one has another C library.',
    )
  }
}

/**
 * @param {string} file
 * @returns {Record<string, { version?: string, optional?: boolean, devOptional?: boolean }> | null}
 */
function lockedPackages(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages
  } catch {
    return null
  }
}

/**
 * Tells whether node_modules matches the lock file, according to npm's own record of what it installed. Packages for
 * other platforms are absent, and that is correct.
 */
function isInstalled() {
  const wanted = lockedPackages(path.join(root, 'package-lock.json'))
  const present = lockedPackages(path.join(root, 'node_modules', '.package-lock.json'))
  if (!wanted || !present || !existsSync(pinnedNode)) return false
  return Object.entries(wanted).every(([place, { version, optional, devOptional }]) => {
    if (!place.includes('node_modules/')) return true
    const found = present[place]
    return found ? found.version === version : Boolean(optional || devOptional)
  })
}

const NETWORK_TROUBLE =
  /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ERR_SOCKET_TIMEOUT)\b/

/** @param {string[]} args @throws {Refusal} with npm's own message, and what to do */
async function npm(...args) {
  const { code, output } = await run('npm', [...args, '--no-audit', '--no-fund'], {
    env: { ...outerEnvironment(), SKIP_FFMPEG: 'true' },
    quiet: true,
  })
  if (code === 127) {
    throw new Refusal(
      'npm was not found. It comes with Node (https://nodejs.org); Debian has it in the package "npm".',
    )
  }
  if (code !== 0) {
    const hint = NETWORK_TROUBLE.test(output)
      ? 'npm could not reach its registry. Check the network, and behind a proxy set HTTPS_PROXY.'
      : 'npm could not install the packages; its own words stand above.'
    throw new Refusal(`${output.trim()}\n\n${hint}`)
  }
}

/** The name of a user of this machine, or the number if the user has no name. @param {number} uid */
function userName(uid) {
  const users = existsSync('/etc/passwd') ? readFileSync('/etc/passwd', 'utf8').split('\n') : []
  const entry = users.map((line) => line.split(':')).find(([, , id]) => id === String(uid))
  return entry?.[0] ?? String(uid)
}

/**
 * @param {string} what has to be done in the clone first
 * @throws {Refusal} if this user may not write there; the message names the user who may
 */
function requireWritable(what) {
  try {
    accessSync(root, constants.W_OK)
  } catch {
    const owner = userName(statSync(root).uid)
    throw new Refusal(`${what} first, and this user (${userName(process.getuid?.() ?? -1)}) may not write to ${root}.
Run "npm start" once as ${owner}, who owns it; afterwards any user who can read it can start the server.
Such a user keeps its data elsewhere: set PARLEY_DATA_DIR to a folder of its own.`)
  }
}

/**
 * Installs what the lock file says, unless it is installed already.
 *
 * `npm ci` is not used: it refuses a lock file in which a development tool's binary for another platform is missing.
 * The packages' install scripts do not run: everything native comes prebuilt, and no package may run its own code
 * during the installation.
 * @throws {Refusal} with the reason
 */
export async function install() {
  if (isInstalled()) return
  requireWritable('The packages have to be installed')
  await step('Installing packages', () => npm('install', '--no-save', '--ignore-scripts'))
  if (!existsSync(pinnedNode)) {
    throw new Refusal(`npm did not bring the Node that the server runs on (${pinnedNode}).
Check that npm installs optional packages: "npm config get omit" must not name "optional".`)
  }
}

/** @param {string} folder @param {(name: string) => boolean} leaveOut @returns {number} newest change in it, Unix ms */
function newestChange(folder, leaveOut) {
  let newest = statSync(folder).mtimeMs
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (leaveOut(entry.name)) continue
    const place = path.join(folder, entry.name)
    newest = Math.max(newest, entry.isDirectory() ? newestChange(place, leaveOut) : statSync(place).mtimeMs)
  }
  return newest
}

/**
 * Builds the pages that the server serves, unless they are newer than their sources.
 * @throws {Refusal} with the builder's output
 */
export async function buildPages() {
  const web = path.join(root, 'web')
  const page = path.join(web, 'dist', 'index.html')
  const sourcesAtMs = Math.max(
    newestChange(path.join(web, 'src'), () => false),
    newestChange(path.join(root, 'client', 'src'), () => false),
    newestChange(path.join(web, 'public'), () => false),
    ...['index.html', 'package.json', 'vite.config.ts'].map((name) => statSync(path.join(web, name)).mtimeMs),
    statSync(path.join(root, 'package-lock.json')).mtimeMs,
  )
  if (existsSync(page) && statSync(page).mtimeMs > sourcesAtMs) return
  requireWritable('The pages have to be built')
  await step('Building the pages', async () => {
    const { code, output } = await run('vite', ['build'], { cwd: web, quiet: true })
    if (code !== 0) throw new Refusal(`${output.trim()}\n\nThe pages could not be built.`)
  })
}

/** Debian keeps the programs of each PostgreSQL version in a folder that is not on the path. */
const POSTGRES = '/usr/lib/postgresql'

function programFolders() {
  const versions = existsSync(POSTGRES) ? readdirSync(POSTGRES) : []
  return [
    ...(process.env.PATH ?? '').split(path.delimiter),
    ...versions.map((version) => path.join(POSTGRES, version, 'bin')),
  ]
}

/** Whether a program is installed. @param {string} name */
function isThere(name) {
  return programFolders().some((folder) => {
    try {
      accessSync(path.join(folder, name), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

/**
 * Makes sure that programs are installed. Installs missing ones from Debian's packages if this user may install.
 * @param {Record<string, string>} packages program name to package name
 * @param {string} purpose for the message
 * @throws {Refusal} with the command that installs them
 */
export async function requirePrograms(packages, purpose) {
  const missing = () => Object.keys(packages).filter((program) => !isThere(program))
  const wanted = missing()
  if (wanted.length === 0) return
  const names = [...new Set(wanted.map((program) => packages[program] ?? program))]
  const advice = `${purpose} needs ${wanted.join(', ')}. Install with:
  sudo apt-get install --no-install-recommends ${names.join(' ')}`
  const isRoot = process.getuid?.() === 0
  const mayInstall = isRoot || (await run('sudo', ['-n', 'true'], { quiet: true })).code === 0
  if (!isThere('apt-get') || !mayInstall) throw new Refusal(advice)
  await step(`Installing ${names.join(', ')} through apt`, async () => {
    /** @param {string[]} args */
    const apt = (args) => {
      const command = ['env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', ...args]
      return run(isRoot ? 'env' : 'sudo', isRoot ? command.slice(1) : ['-n', ...command], { quiet: true })
    }
    await apt(['update', '-q'])
    const { code, output } = await apt(['install', '-y', '-q', '--no-install-recommends', ...names])
    if (code !== 0) throw new Refusal(`${output.trim()}\n\n${advice}`)
  })
  if (missing().length > 0) throw new Refusal(advice)
}

/**
 * Runs a command of this folder. A refusal is printed as plain text, every other error with its stack.
 * @param {() => Promise<number | void>} command resolves with the exit code
 */
export async function main(command) {
  try {
    process.exitCode = (await command()) ?? 0
  } catch (error) {
    console.error(error instanceof Refusal ? `\n${error.message}` : error)
    process.exitCode = 1
  }
}
