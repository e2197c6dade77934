/**
 * Checks what the documents refer to: links and their anchors, npm commands, commands of `parley` with their options,
 * paths in backticks, and options of the server. If something does not exist, it fails and says where.
 */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { COMMON_OPTIONS } from '../server/src/admin/cli.ts'
import { allCommands } from '../server/src/admin/commands/all.ts'
import { main, root, run } from './workspace.mjs'

/** A name in backticks counts as a file if it ends like this. */
const NAMED_FILE = /^[\w.@/-]+\.(ts|tsx|mjs|md|yml|service|html|css)$/
/** A name in backticks counts as a folder if it has this form: words separated by slashes, with a slash at the end. */
const NAMED_FOLDER = /^[\w.@-]+(\/[\w.@-]+)*\/$/

/** Folders outside the repository: in a data folder, in a system, in a backup. */
const ELSEWHERE = new Set([
  'tls/',
  'tls/acme/',
  'recordings/',
  'previews/',
  'secrets/',
  'cache/',
  'test-results/',
])

/** @typedef {{ file: string, text: string }} Document */

/** Every file that is in the repository, or would be after the next commit. @returns {Promise<string[]>} */
async function repositoryFiles() {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate']
  const { code, output } = await run('git', args, { quiet: true })
  if (code !== 0) throw new Error(output)
  return output
    .trim()
    .split('\n')
    .filter((file) => existsSync(path.join(root, file)))
}

/** The anchor that GitHub creates for a heading. @param {string} heading */
const anchorOf = (heading) =>
  heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll('`', '')
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')

/** Anchors of a document. Repeated headings get numbers. @param {string} text @returns {Set<string>} */
function anchorsIn(text) {
  const anchors = new Set()
  for (const [, heading = ''] of withoutCode(text).matchAll(/^#{1,6} (.*)$/gm)) {
    const anchor = anchorOf(heading)
    let name = anchor
    for (let i = 1; anchors.has(name); i++) name = `${anchor}-${i}`
    anchors.add(name)
  }
  for (const [, id] of text.matchAll(/<a (?:id|name)="([^"]+)"/g)) anchors.add(id)
  return anchors
}

/** The text with all lines of code blocks emptied, so that line numbers stay the same. @param {string} text */
const withoutCode = (text) => text.replaceAll(/^```[\s\S]*?^```/gm, (block) => block.replaceAll(/[^\n]/g, ''))

/** @param {Document} document @param {readonly string[]} files @returns {string[]} */
function badLinks({ file, text }, files) {
  const links = [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target)
  return links.flatMap((target) => {
    if (/^[a-z]+:/.test(target)) return []
    const [place = '', anchor] = target.split('#')
    const found = place === '' ? file : path.join(path.dirname(file), place)
    const isThere =
      files.includes(found) || files.some((one) => one.startsWith(`${found.replace(/\/$/, '')}/`))
    if (!isThere) return [`the link ${target} leads nowhere`]
    if (anchor === undefined || !found.endsWith('.md')) return []
    const isHeading = anchorsIn(readFileSync(path.join(root, found), 'utf8')).has(anchor)
    return isHeading ? [] : [`the link ${target} leads to no heading of ${found}`]
  })
}

/** @param {Document} document @param {readonly string[]} files @returns {string[]} */
function badPaths({ text }, files) {
  const places = files.map((file) => `/${file}`)
  const names = [...withoutCode(text).matchAll(/`([^`\n]+)`/g)].map(([, name = '']) => name)
  return names.flatMap((name) => {
    if (NAMED_FILE.test(name) && !name.startsWith('/'))
      return places.some((place) => place.endsWith(`/${name}`)) ? [] : [`there is no file ${name}`]
    if (NAMED_FOLDER.test(name) && !ELSEWHERE.has(name))
      return places.some((place) => place.includes(`/${name}`)) ? [] : [`there is no folder ${name}`]
    return []
  })
}

/**
 * Finds npm commands in backticks and in code blocks that do not exist.
 * @param {Document} document
 * @param {Set<string>} scripts
 * @returns {string[]}
 */
function badNpmCommands({ text }, scripts) {
  const named = [...text.matchAll(/\bnpm (run )?([a-z][\w:-]*)/g)]
  return named.flatMap(([, isRun, name = '']) => {
    if (!isRun && !['start', 'test'].includes(name)) return []
    return scripts.has(name) ? [] : [`there is no command npm run ${name}`]
  })
}

/** @param {Document} document @returns {string[]} */
function badParleyCommands({ text }) {
  const lines = [...text.matchAll(/(?:npx parley|`parley|node server\/src\/admin\/main\.ts) ([^`\n|&;#]+)/g)]
  return lines.flatMap(([, words = '']) => {
    const [first = '', second = ''] = words.trim().split(/\s+/)
    if (!/^[a-z]/.test(first) || first === 'help') return []
    const command = allCommands.find(({ name }) => name === first || name === `${first} ${second}`)
    if (!command) return [`there is no command parley ${first} ${second}`.trimEnd()]
    const known = { ...COMMON_OPTIONS, ...command.options }
    return [...words.matchAll(/(?<=\s)--([a-z][a-z-]*)/g)]
      .filter(([, option = '']) => !(option in known))
      .map(([option]) => `parley ${command.name} has no option ${option}`)
  })
}

/** @param {Document} document @param {string} source all code as one text @returns {string[]} */
function badOptions({ text }, source) {
  const named = new Set([...text.matchAll(/\bPARLEY_[A-Z_]*[A-Z]\b/g)].map(([name]) => name))
  return [...named].filter((name) => !source.includes(name)).map((name) => `nothing reads ${name}`)
}

await main(async () => {
  const files = await repositoryFiles()
  const scripts = new Set(
    Object.keys(JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')).scripts),
  )
  const source = files
    .filter((file) => /\.(ts|mjs)$/.test(file))
    .map((file) => readFileSync(path.join(root, file), 'utf8'))
    .join('\n')
  let bad = 0
  for (const file of files.filter((one) => one.endsWith('.md'))) {
    const text = readFileSync(path.join(root, file), 'utf8')
    const document = { file, text }
    const complaints = [
      ...badLinks(document, files),
      ...badPaths(document, files),
      ...badNpmCommands(document, scripts),
      ...badParleyCommands(document),
      ...badOptions(document, source),
    ]
    for (const complaint of complaints) console.error(`${file}: ${complaint}`)
    bad += complaints.length
  }
  return bad > 0 ? 1 : 0
})
