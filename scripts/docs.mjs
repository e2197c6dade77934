/**
 * `npm run docs`: writes the parts of the documents that are generated from the code. With `--check` it changes
 * nothing, and fails if a part is out of date.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { clientTypes } from '../client/generate.mjs'
import { options } from '../server/src/config/options.ts'
import { publicErrors } from '../server/src/errors/catalogue.ts'
import { readApiDocument } from '../server/src/read-api-document.ts'
import { conferenceSettings } from '../server/src/resources/conference-settings.ts'
import { roomFields } from '../server/src/resources/room-fields.ts'
import { roomTokenFields } from '../server/src/resources/room-token.ts'
import { fieldTable } from './field-tables.mjs'
import { layoutDrawings, layoutList } from './layout-sheet.mjs'
import { methodTable } from './method-table.mjs'
import { main, progress, Refusal, root } from './workspace.mjs'

/** Escapes a text so that it neither ends the table cell nor counts as markup. @param {string} text */
const cell = (text) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;')

function configurationReference() {
  const rows = Object.values(options).map(({ env, type, default: fallback, doc }) => {
    const value = fallback.startsWith('(') ? fallback.slice(1, -1) : `\`${fallback}\``
    return `| \`${env}\` | ${cell(type)} | ${cell(value)} | ${cell(doc)} |`
  })
  return ['| Variable | Value | Default | Meaning |', '|---|---|---|---|', ...rows].join('\n')
}

function errorCodes() {
  const rows = Object.entries(publicErrors).map(([code, { message }]) => `| \`${code}\` | ${cell(message)} |`)
  return ['| Code | Meaning |', '|---|---|', ...rows].join('\n')
}

/**
 * @typedef {object} LockedPackage
 * @property {string} [license]
 * @property {boolean} [dev]
 * @property {boolean} [devOptional]
 * @property {boolean} [link]
 * @property {string[]} [os]
 */

/**
 * Packages of the running server and of its pages, grouped by licence. A prebuilt variant for one platform is covered
 * by its parent package.
 */
function packagesByLicence() {
  /** @type {Record<string, LockedPackage>} */
  const locked = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')).packages
  /** @type {Map<string, Set<string>>} */
  const names = new Map()
  for (const [place, { license = 'not stated', dev, devOptional, link, os }] of Object.entries(locked)) {
    if (!place.includes('node_modules/') || dev || devOptional || link || os) continue
    const name = place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length)
    names.set(license, (names.get(license) ?? new Set()).add(name))
  }
  return [...names]
    .sort(([one], [other]) => one.localeCompare(other, 'en'))
    .map(([licence, packages]) => `### ${licence}\n\n${[...packages].sort().join(', ')}`)
    .join('\n\n')
}

/** @param {string} text @param {string} part @param {string} content */
function withPart(text, part, content) {
  const open = `<!-- generated: ${part} -->`
  const close = '<!-- end of the generated part -->'
  const start = text.indexOf(open)
  const end = text.indexOf(close, start)
  if (start < 0 || end < 0) throw new Refusal(`The marks of the generated part "${part}" are missing.`)
  return `${text.slice(0, start + open.length)}\n\n${content}\n\n${text.slice(end)}`
}

const generated = [
  { file: 'docs/operators.md', part: 'configuration', content: configurationReference },
  {
    file: 'docs/api.md',
    part: 'room fields',
    content: () =>
      fieldTable(roomFields, (field) => field === roomFields.name || !!field.set?.includes('room')),
  },
  { file: 'docs/api.md', part: 'room token fields', content: () => fieldTable(roomTokenFields, () => true) },
  {
    file: 'docs/api.md',
    part: 'conference fields',
    content: () => fieldTable(conferenceSettings, () => true),
  },
  { file: 'docs/layouts.md', part: 'layouts', content: layoutList },
  { file: 'docs/errors.md', part: 'error codes', content: errorCodes },
  { file: 'docs/methods.md', part: 'room methods', content: methodTable },
  { file: 'THIRD-PARTY-NOTICES.md', part: 'packages', content: packagesByLicence },
]

/**
 * Documents that contain generated parts; one document may have several. @returns {{ file: string, text: string }[]}
 */
function filesWithParts() {
  /** @type {Map<string, string>} */
  const texts = new Map()
  for (const { file, part, content } of generated) {
    texts.set(file, withPart(texts.get(file) ?? textOf(path.join(root, file)), part, content()))
  }
  return [...texts].map(([file, text]) => ({ file, text }))
}

/** Documents that are generated as a whole. @returns {Promise<{ file: string, text: string }[]>} */
async function wholeFiles() {
  const document = await readApiDocument()
  return [
    { file: 'docs/openapi.json', text: `${JSON.stringify(document, null, 2)}\n` },
    { file: 'client/src/schema.ts', text: await clientTypes(document) },
    ...layoutDrawings(),
  ]
}

/** @param {string} place @returns {string} empty if the file does not exist yet */
const textOf = (place) => (existsSync(place) ? readFileSync(place, 'utf8') : '')

await main(async () => {
  const checkOnly = process.argv.includes('--check')
  for (const { file, text: after } of [...filesWithParts(), ...(await wholeFiles())]) {
    const place = path.join(root, file)
    if (after === textOf(place)) continue
    if (checkOnly) throw new Refusal(`${file} is out of date: run "npm run docs" and commit the change.`)
    writeFileSync(place, after)
    progress(`${file} brought up to date`)
  }
})
