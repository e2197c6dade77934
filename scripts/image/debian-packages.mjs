/**
 * Adds the system's packages to a bill of materials in CycloneDX: `node debian-packages.mjs FILE`. The Dockerfile calls it in the last
 * stage, whose packages it is about.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'

const [file = ''] = process.argv.slice(2)
const bill = JSON.parse(readFileSync(file, 'utf8'))
// Names in braces are of dpkg-query, which also makes tabs and line ends of what follows a backslash.
const format = ['Package', 'Version', 'Architecture'].map((field) => `\${${field}}`).join('\\t')
const lines = execFileSync('dpkg-query', ['--show', '--showformat', `${format}\\n`], { encoding: 'utf8' })
  .trim()
  .split('\n')
for (const line of lines) {
  const [name = '', version = '', architecture = ''] = line.split('\t')
  const purl = `pkg:deb/debian/${name}@${encodeURIComponent(version)}?arch=${architecture}`
  bill.components.push({ 'bom-ref': purl, type: 'library', name, version, scope: 'required', purl })
}
writeFileSync(file, `${JSON.stringify(bill, null, 1)}\n`)
