import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { expect, it } from 'vitest'
import { askStunEcho, startStunEcho } from './stun-echo.ts'

it('hears itself over the loopback', async () => {
  const echo = await startStunEcho(0, 4)
  expect(await askStunEcho('127.0.0.1', echo.port)).toBeGreaterThan(0)
  await echo.close()
})

it('hears nothing where nothing answers', async () => {
  const echo = await startStunEcho(0, 4)
  await echo.close()
  expect(await askStunEcho('127.0.0.1', echo.port)).toBeNull()
})

it('does not take the port of another', async () => {
  const echo = await startStunEcho(0, 4)
  await expect(startStunEcho(echo.port, 4)).rejects.toThrow('EADDRINUSE')
  await echo.close()
})

it('answers to nothing but binding requests, and believes nothing but its own answers', async () => {
  const echo = await startStunEcho(0, 4)
  const socket = createSocket('udp4')
  const answers: Buffer[] = []
  socket.on('message', (message) => answers.push(message))
  for (const hex of ['', '00', '0101', '000100002112a443', `010100002112a442${'00'.repeat(12)}`]) {
    socket.send(Buffer.from(hex, 'hex'), echo.port, '127.0.0.1')
  }
  socket.send(Buffer.from(`000100002112a442${'ab'.repeat(12)}`, 'hex'), echo.port, '127.0.0.1')
  await once(socket, 'message')
  expect(answers.map((answer) => answer.toString('hex'))).toEqual([`010100002112a442${'ab'.repeat(12)}`])
  await echo.close()

  // A server that sends the same answer to every request.
  socket.removeAllListeners('message')
  socket.on('message', (_, { port }) => socket.send(answers[0] ?? '', port, '127.0.0.1'))
  expect(await askStunEcho('127.0.0.1', socket.address().port)).toBeNull()
  socket.close()
})
