/** Preloaded into the server and its workers: sets their time of day, as the file of the query says in milliseconds, and no other time. */
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
