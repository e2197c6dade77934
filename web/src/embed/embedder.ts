import type {
  Connection,
  DelegatedCommand,
  EmbedErrorCode,
  EmbedEvents,
  EmbedOptions,
  Greeting,
  ToElement,
  ToFrame,
} from '@parley/embed/protocol'

export interface EmbedderEvents {
  onOptions(options: EmbedOptions): void
  onCommand(command: DelegatedCommand['command']): Promise<unknown>
}

/** A command that is not carried out. */
export class CommandRefused extends Error {
  readonly code: EmbedErrorCode

  /** @param message says what to do */
  constructor(code: EmbedErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

/** Whoever embeds this page: the element in the page around it. */
export class Embedder {
  /** The only origin that is greeted and heard. The browser vouches for it. */
  readonly origin: string
  readonly #events: EmbedderEvents
  #port: MessagePort | null = null

  /** @param origin as the page around names itself in the address of this one */
  constructor(origin: string, events: EmbedderEvents) {
    this.origin = origin
    this.#events = events
    window.addEventListener('message', this.#onMessage)
    // Where the page around has another origin, the browser drops this.
    window.parent.postMessage({ parley: 'hello' } satisfies Greeting, origin)
  }

  tell<Name extends keyof EmbedEvents>(name: Name, detail: EmbedEvents[Name]): void {
    this.#send({ is: 'event', name, detail })
  }

  end(): void {
    window.removeEventListener('message', this.#onMessage)
    this.#port?.close()
    this.#port = null
  }

  readonly #onMessage = ({ source, origin, data, ports }: MessageEvent): void => {
    if (source !== window.parent || origin !== this.origin) return
    if ((data as Connection | null)?.parley === 'connect' && ports[0] && !this.#port) this.#connect(ports[0])
    const { parley, command } = (data ?? {}) as Partial<DelegatedCommand>
    if (parley === 'command' && command && this.#port) void this.#obey(command)
  }

  #connect(port: MessagePort): void {
    this.#port = port
    port.onmessage = ({ data }: MessageEvent<ToFrame>) => {
      if (data.do === 'open') this.#events.onOptions(data.options)
      else void this.#obey(data.command)
    }
  }

  async #obey(command: DelegatedCommand['command']): Promise<void> {
    try {
      this.#send({ is: 'result', id: command.id, value: await this.#events.onCommand(command) })
    } catch (error) {
      const code = error instanceof CommandRefused ? error.code : 'refused'
      this.#send({ is: 'failure', id: command.id, code, message: String((error as Error)?.message ?? error) })
    }
  }

  #send(message: ToElement): void {
    this.#port?.postMessage(message)
  }
}

/** The origin of the page around, as it named itself; null if this page is not in a frame, or nobody is named. */
export function embedderOrigin(): string | null {
  if (window.parent === window) return null
  const named = new URLSearchParams(window.location.search).get('parent')
  return named !== null && URL.canParse(named) && new URL(named).origin === named ? named : null
}
