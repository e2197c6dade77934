import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { operation, operations } from './api-document.ts'
import type { Suite } from './suite.ts'

/** Tests conventions that hold for all paths, and for paths that do not exist. */
export function conventions(suite: Suite): void {
  const fetch = (method: string, path: string, options: object = {}) =>
    suite.caller.fetch(method, path, { authorization: suite.project.authorization, ...options })

  describe('conventions', () => {
    test('paths that do not exist, and methods that a path does not know, are not there', async () => {
      for (const [method, path] of [
        ['GET', '/api'],
        ['GET', '/api/video/nothing'],
        ['GET', '/api/nothing/rooms'],
        ['PATCH', '/api/video/rooms'],
        ['DELETE', '/api/video/rooms'],
        ['PUT', '/api/video/room_tokens'],
      ] as const) {
        const answer = await fetch(method, path)
        expect([answer.status, answer.json.errors[0].code], `${method} ${path}`).toEqual([
          404,
          'does_not_exist',
        ])
      }
    })

    test('every path answers OPTIONS with its methods', async () => {
      for (const { path } of operations) {
        const answer = await fetch('OPTIONS', path.replace(/\{\w+\}/g, 'x'), { authorization: null })
        expect(answer.status, path).toBe(204)
        const methods = operations.filter((one) => one.path === path).map(({ method }) => method)
        for (const method of methods) expect(answer.headers.allow).toContain(method)
      }
    })

    test('HEAD answers as GET does, without the body', async () => {
      const [head, get] = [await fetch('HEAD', '/api/video/rooms'), await fetch('GET', '/api/video/rooms')]
      expect([head.status, head.text]).toEqual([200, ''])
      expect(head.headers['content-type']).toBe(get.headers['content-type'])
      expect((await fetch('HEAD', '/api/video/rooms', { authorization: null })).status).toBe(401)
    })

    test('a body on GET is refused', async () => {
      for (const rawBody of ['{}', '{ no json']) {
        const answer = await suite.caller.call(operation('listRooms'), {
          authorization: suite.project.authorization,
          rawBody,
        })
        expect([answer.status, answer.json.errors[0].code]).toEqual([400, 'cannot_process'])
      }
    })

    test('broken percent signs in a path are refused', async () => {
      expect((await fetch('GET', '/api/video/rooms/%zz')).status).toBe(400)
    })

    test('a request id of the caller comes back', async () => {
      const answer = await fetch('GET', '/api/video/rooms', { headers: { 'x-request-id': 'mine-1' } })
      expect(answer.headers['x-request-id']).toBe('mine-1')
    })

    test('plain HTTP is refused, and never redirected', async () => {
      const { host } = new URL(suite.deployment.access.baseUrl)
      const [status, body] = await new Promise<[number | undefined, string]>((resolve, reject) => {
        const sent = request(`http://${host}/api/video/rooms`, (answer) =>
          text(answer).then((read) => resolve([answer.statusCode, read]), reject),
        )
        sent.on('error', reject)
        sent.end()
      })
      expect(status).toBe(400)
      expect(JSON.parse(body).errors[0].code).toBe('cannot_process')
    })

    test('every code leads to its explanation', async () => {
      const refused = await fetch('GET', '/api/video/rooms', { authorization: null })
      const { pathname, hash } = new URL(refused.json.errors[0].url)
      const page = await fetch('GET', pathname, { authorization: null })
      expect(page.status).toBe(200)
      expect(page.text).toContain(`id="${hash.slice(1)}"`)
    })
  })
}
