/**
 * The server that the REST measurements compare with: Fastify over HTTPS with one route, whose answer comes from the
 * environment.
 */
import { readFileSync } from 'node:fs'
import { fastify } from 'fastify'

const { BARE_KEY = '', BARE_CERT = '', BARE_PORT = '0', BARE_JSON = '{}' } = process.env
const body = JSON.parse(BARE_JSON) as object
const app = fastify({ https: { key: readFileSync(BARE_KEY), cert: readFileSync(BARE_CERT) } })
app.get('/', async () => body)
await app.listen({ host: '127.0.0.1', port: Number(BARE_PORT) })
process.send?.('ready')
