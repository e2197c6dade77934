/**
 * Preloaded into the server and its workers. Shifts their time of day by the offset in milliseconds that the file in
 * the query contains. Other clocks are not changed.
 */
import { readFileSync } from 'node:fs'

const file = new URL(import.meta.url).searchParams.get('file') ?? ''
const RealDate = Date
const realNow = Date.now
let offsetMs = 0

function read() {
  try {
    offsetMs = Number(readFileSync(file, 'utf8')) || 0
  } catch {
    offsetMs = 0
  }
}

read()
setInterval(read, 50).unref()
Date.now = () => realNow() + offsetMs
globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [Date.now()] : args, newTarget),
  apply: () => new RealDate(Date.now()).toString(),
})
