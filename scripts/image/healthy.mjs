/** Exits with 0 while the server of this container answers: the health check of the image. */
import { request } from 'node:https'

const { PARLEY_PORT: port = '8443' } = process.env
// The certificate may be the server's own, and this goes no further than the container.
const options = { host: '127.0.0.1', port, path: '/healthz', rejectUnauthorized: false, timeout: 4000 }
const asked = request(options, ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1))
asked.on('error', () => process.exit(1))
asked.on('timeout', () => asked.destroy())
asked.end()
