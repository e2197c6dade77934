import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../ids.ts'
import { hashApiToken } from '../secrets/api-token-secret.ts'
import { sampleApiToken } from '../testing/sample-records.ts'
import { basic, startTestServer, type TestServer } from '../testing/server-for-tests.ts'

const DEPLOY = fileURLToPath(new URL('../../../deploy', import.meta.url))

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

/** The values of the text format of Prometheus, by name and labels. */
async function scrape(): Promise<Map<string, number>> {
  const { status, headers, text } = await server.call('/metrics')
  expect(status).toBe(200)
  expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8')
  const samples = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(
    samples.map((line) => [
      line.slice(0, line.lastIndexOf(' ')),
      Number(line.slice(line.lastIndexOf(' ') + 1)),
    ]),
  )
}

describe('metrics', () => {
  it('tell what runs and what it costs, each time anew', async () => {
    const found = await scrape()
    expect(found.get('parley_draining')).toBe(0)
    expect(found.get('parley_sessions')).toBe(0)
    expect(found.get('parley_participants{type="audience"}')).toBe(0)
    expect(found.get('parley_media_worker_ready{worker="0"}')).toBe(1)
    expect(found.get('parley_media_worker_overload_step{worker="0"}')).toBeGreaterThanOrEqual(0)
    expect(found.get('parley_process_resident_memory_bytes')).toBeGreaterThan(10_000_000)
    expect(found.get('parley_ready')).toBe(1)
    expect(found.get('parley_database_up')).toBe(1)
    expect(found.get('parley_disk_free_bytes')).toBeGreaterThan(0)
    expect(found.get('parley_troubles{part="database",level="reason"}')).toBe(0)
    expect(found.get('parley_media_worker_packets_sent_total{worker="0"}')).toBe(0)
    await server.call('/api/dashboard/server/drain', { method: 'PUT', body: { draining: true } })
    expect((await scrape()).get('parley_draining')).toBe(1)
  })

  it('count answers by their route, whatever the path, and refused sign-ins', async () => {
    for (const id of [newId(), newId()]) await server.call(`/api/video/rooms/${id}`)
    await server.call('/api/video/rooms', {
      credentials: null,
      headers: { authorization: basic('x', 'wrong') },
    })
    for (const path of ['/no/such/path', '/nor/this?a=1']) await server.call(path, { credentials: null })
    const found = await scrape()
    const route = '/api/video/rooms/:id'
    expect(found.get(`parley_http_requests_total{method="GET",route="${route}",status="404"}`)).toBe(2)
    expect(found.get(`parley_http_request_seconds_count{route="${route}"}`)).toBe(2)
    expect(found.get(`parley_http_request_seconds_bucket{route="${route}",le="+Inf"}`)).toBe(2)
    expect(found.get('parley_http_requests_total{method="any",route="none",status="404"}')).toBe(2)
    expect(found.get('parley_sign_ins_refused_total{way="http"}')).toBe(1)
  })

  it('are as Prometheus wants them', async () => {
    const { text } = await server.call('/metrics')
    const check = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' })
    expect(check).toMatchObject({ status: 0, stderr: '', stdout: '' })
  })

  it('are those that the alert rules and the board ask for', async () => {
    const { text } = await server.call('/metrics')
    const known = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name))
    for (const file of ['prometheus/alerts.yml', 'prometheus/alerts.test.yml', 'grafana/parley.json']) {
      const asked = readFileSync(`${DEPLOY}/${file}`, 'utf8').match(/parley_[a-z0-9_]+/g) ?? []
      const unknown = asked
        .map((name) => name.replace(/_(bucket|sum|count)$/, ''))
        .filter((name) => !known.has(name))
      expect(unknown, file).toEqual([])
    }
    for (const args of [
      ['check', 'config', `${DEPLOY}/prometheus/prometheus.yml`],
      ['test', 'rules', `${DEPLOY}/prometheus/alerts.test.yml`],
    ]) {
      const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8' })
      expect(status, stdout + stderr).toBe(0)
    }
  })

  it('have expressions on the board that Prometheus understands', () => {
    const board = JSON.parse(readFileSync(`${DEPLOY}/grafana/parley.json`, 'utf8'))
    const expressions: string[] = board.panels.flatMap(({ targets = [] }) =>
      targets.map(({ expr }: { expr: string }) => expr.replaceAll('$__rate_interval', '1m')),
    )
    const rules = expressions.map((expr, index) => ({ record: `panel:${index}`, expr }))
    const file = `${server.dataDir}/board.yml`
    writeFileSync(file, JSON.stringify({ groups: [{ name: 'board', rules }] }))
    const { status, stdout, stderr } = spawnSync('promtool', ['check', 'rules', file], { encoding: 'utf8' })
    expect(status, stdout + stderr).toBe(0)
    expect(stdout).toContain(`${expressions.length} rules found`)
  })

  it('are for the operator of the server alone', async () => {
    const [secret, project_id] = ['of-another-project', newId()]
    await server.storage.projects.insert({ id: project_id, name: 'Other', created_at: Date.now() })
    const tokens = [
      sampleApiToken({ project_id, hash: hashApiToken(secret), scopes: ['management'] }),
      sampleApiToken({ project_id: server.projectId, hash: hashApiToken('video alone'), scopes: ['video'] }),
    ]
    for (const token of tokens) await server.storage.apiTokens.insert(token)
    const statusWith = async (headers: Record<string, string>) =>
      (await server.call('/metrics', { credentials: null, headers })).status
    expect(await statusWith({})).toBe(401)
    expect(await statusWith({ authorization: basic(server.projectId, 'wrong') })).toBe(401)
    expect(await statusWith({ authorization: basic(project_id, secret) })).toBe(403)
    expect(await statusWith({ authorization: basic(server.projectId, 'video alone') })).toBe(403)
  })
})
