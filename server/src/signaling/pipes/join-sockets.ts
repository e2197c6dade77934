import type { RawData, WebSocket } from 'ws'

/** A socket that has this much unsent makes the other one wait. */
const MOST_UNSENT_BYTES = 1024 * 1024
/** Close codes that may be sent (RFC 6455, section 7.4). Others only tell how the connection ended. */
const isSendable = (code: number) =>
  (code >= 1000 && code <= 1014 && ![1004, 1005, 1006].includes(code)) || (code >= 3000 && code <= 4999)

/**
 * Passes all frames of each socket on to the other one, and the end of either. Neither is read faster than the other one
 * takes it.
 * @param onEnded called once, when both have ended
 */
export function joinSockets(one: WebSocket, other: WebSocket, onEnded: () => void): void {
  let open = 2
  const ended = () => {
    if (--open === 0) onEnded()
  }
  pass(one, other, ended)
  pass(other, one, ended)
  one.resume()
  other.resume()
}

function pass(from: WebSocket, to: WebSocket, ended: () => void): void {
  from.on('message', (data: RawData, binary: boolean) => {
    if (to.readyState !== to.OPEN) return
    to.send(data, { binary }, () => {
      if (from.isPaused && to.bufferedAmount < MOST_UNSENT_BYTES) from.resume()
    })
    if (to.bufferedAmount >= MOST_UNSENT_BYTES) from.pause()
  })
  from.on('error', () => from.terminate())
  from.on('close', (code: number, reason: Buffer) => {
    // A paused socket would not notice that its peer closes it too.
    to.resume()
    if (isSendable(code)) to.close(code, reason.toString())
    else if (code === 1005) to.close()
    else to.terminate()
    ended()
  })
}
