/**
 * Adds the system's packages to a bill of materials in CycloneDX: `node debian-packages.mjs FILE`. The Dockerfile calls it in the last
 * stage, whose packages it is about.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'

const [file = ''] = process.argv.slice(2)
const bill = JSON.parse(readFileSync(file, 'utf8'))
const format = '${Package}\\t${Version}\\t${Architecture}\\n'
const lines = execFileSync('dpkg-query', ['--show', '--showformat', format], { encoding: 'utf8' })
  .trim()
  .split('\n')
for (const line of lines) {
  const [name = '', version = '', architecture = ''] = line.split('\t')
  const purl = `pkg:deb/debian/${name}@${encodeURIComponent(version)}?arch=${architecture}`
  bill.components.push({ 'bom-ref': purl, type: 'library', name, version, scope: 'required', purl })
}
writeFileSync(file, `${JSON.stringify(bill, null, 1)}\n`)
