/**
 * Reports when the media path to the server breaks and when it is back, seconds before the client reacts. It watches
 * the transport of a received track. All tracks of the call may share that transport.
 */
export class ConnectionWatch {
  readonly #watched = new Set<RTCIceTransport>()
  readonly #changed: (connected: boolean) => void
  readonly #stop = new AbortController()

  /** @param changed called at each change, with the common state of all watched transports */
  constructor(changed: (connected: boolean) => void) {
    this.#changed = changed
    const { signal } = this.#stop
    window.addEventListener('offline', () => changed(false), { signal })
    window.addEventListener('online', this.#report, { signal })
  }

  watch(receiver: RTCRtpReceiver): void {
    const transport = receiver.transport?.iceTransport
    if (!transport || this.#watched.has(transport)) return
    this.#watched.add(transport)
    transport.addEventListener('statechange', this.#report, { signal: this.#stop.signal })
  }

  stop(): void {
    this.#stop.abort()
    this.#watched.clear()
  }

  #report = (): void => {
    // A promotion or demotion replaces the connection. The old one has nothing more to say.
    const states = [...this.#watched].map(({ state }) => state).filter((state) => state !== 'closed')
    if (states.some((state) => state === 'disconnected' || state === 'failed')) this.#changed(false)
    else if (states.every((state) => state === 'connected' || state === 'completed')) this.#changed(true)
  }
}
