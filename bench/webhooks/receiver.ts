/** A process that takes webhooks and counts them. It tells its port, and then the number of messages, over IPC. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const TELL_MS = 20

let count = 0
let told = 0
const server = createServer((request, response) => {
  request.resume()
  request.on('end', () => {
    count++
    response.end()
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
setInterval(() => {
  if (count === told) return
  told = count
  process.send?.({ count })
}, TELL_MS)
process.on('disconnect', () => process.exit(0))
