import type { Socket } from 'node:net'
import { createWebSocketStream, type WebSocket } from 'ws'

/**
 * Joins a pipe between nodes with a connection to a worker. Neither is read faster than the other one takes it, so some
 * hundred kilobytes are held at most. The end of either is the end of both.
 */
export function joinFeed(pipe: WebSocket, socket: Socket): void {
  const stream = createWebSocketStream(pipe)
  const end = () => {
    stream.destroy()
    socket.destroy()
  }
  for (const each of [stream, socket]) for (const event of ['error', 'end', 'close']) each.on(event, end)
  socket.setNoDelay(true)
  socket.pipe(stream).pipe(socket)
}

/** How long nothing may come before the other end is asked whether it is there, and then until the pipe is given up. */
const SILENCE_MS = 3000

/** Ends a pipe whose other end has vanished without a word. */
export function endWhenSilent(pipe: WebSocket): void {
  let hasHeard = true
  const heard = () => {
    hasHeard = true
  }
  pipe.on('message', heard)
  pipe.on('pong', heard)
  const timer = setInterval(() => {
    if (!hasHeard) return pipe.terminate()
    hasHeard = false
    pipe.ping()
  }, SILENCE_MS)
  pipe.on('close', () => clearInterval(timer))
}
