import { beforeEach, expect, it } from 'vitest'
import { curlOf } from './curl.ts'
import { forgetSentRequests, sentRequests, watched, withoutSecrets } from './sent-requests.ts'

beforeEach(forgetSentRequests)

const at = (path: string) => `https://meet.example.org${path}`

it('keeps what was sent, and sends it as it was', async () => {
  let sent = ''
  const send = watched(async (request) => {
    sent = await request.text()
    return new Response(null, { status: 201 })
  })
  await send(
    new Request(at('/api/video/rooms?a=1'), { method: 'POST', body: '{"name":"x","password":"s3cret"}' }),
  )
  expect(sent).toContain('s3cret')
  const body = '{"name":"x","password":"***"}'
  expect(sentRequests()).toMatchObject([{ method: 'POST', path: '/api/video/rooms?a=1', body, status: 201 }])
  const fails = watched(() => Promise.reject(new Error('gone')))
  await expect(fails(new Request(at('/x')))).rejects.toThrow('gone')
  expect(sentRequests()[0]).toMatchObject({ method: 'GET', status: 0, body: null })
  for (let i = 0; i < 60; i++) await send(new Request(at('/y')))
  expect(sentRequests()).toHaveLength(50)
})

it('hides tokens and the keys of streams, wherever they are, and keeps no other text', () => {
  for (const url of [
    'rtmp://me:k3y@h/k3y',
    'rtmp://h?k3y',
    'RTMP://h/a/k3y?x=k3y/b#k3y/',
    'rtmp://h/k3y\n/a',
  ]) {
    expect(withoutSecrets(JSON.stringify({ url }))).not.toContain('k3y')
  }
  expect(withoutSecrets('{"url":"rtmps://live.example.com/app/k3y","more":[{"api_token":"t"}]}')).toBe(
    '{"url":"rtmps://live.example.com/***","more":[{"api_token":"***"}]}',
  )
  expect(withoutSecrets('password=s3cret')).toBeNull()
})

it('writes a command that a shell takes as it is meant', () => {
  const request = { method: 'POST', path: "/api/video/rooms?name=a'b", body: `{"name":"it's $HOME"}` }
  expect(curlOf(request, 'https://meet.example.org', 'p1')).toBe(
    [
      `curl -X POST -u "p1:$PARLEY_TOKEN" 'https://meet.example.org/api/video/rooms?name=a'\\''b'`,
      `  -H 'Content-Type: application/json'`,
      `  -d '{"name":"it'\\''s $HOME"}'`,
    ].join(' \\\n'),
  )
  expect(curlOf({ method: 'GET', path: '/x', body: null }, '', 'p1')).toBe(`curl -u "p1:$PARLEY_TOKEN" '/x'`)
})
