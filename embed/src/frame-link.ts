import { EmbedError } from './embed-error.ts'
import type {
  Command,
  Connection,
  DelegatedCommand,
  EmbedCommands,
  EmbedErrorCode,
  EmbedOptions,
  ToElement,
  ToFrame,
} from './protocol.ts'

/** The frame needs longer than this to greet only on slow networks, or if the server forbids it. In milliseconds. */
const ASK_AFTER_MS = 2500
/** Then nobody waits any longer. */
const GIVE_UP_AFTER_MS = 30_000

/** The window's own message takes a delegation in Chromium. The types of browsers do not know it yet. */
type Delegation = WindowPostMessageOptions & { delegate?: string }

export interface FrameLinkOptions {
  frame: HTMLIFrameElement
  /** Origin of the server. */
  server: string
  options: () => EmbedOptions
  onEvent: (name: string, detail: unknown) => void
  onProblem: (code: EmbedErrorCode, message: string) => void
}

/** The conversation with one page in the frame. It ends with the page. */
export class FrameLink {
  readonly #given: FrameLinkOptions
  #port: MessagePort | null = null
  #lastId = 0
  readonly #waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>()
  readonly #timers: ReturnType<typeof setTimeout>[]

  constructor(given: FrameLinkOptions) {
    this.#given = given
    window.addEventListener('message', this.#onGreeting)
    this.#timers = [
      setTimeout(() => void this.#askWhy(), ASK_AFTER_MS),
      setTimeout(() => this.#unreachable(), GIVE_UP_AFTER_MS),
    ]
  }

  /** Sends a command. Rejects with EmbedError. */
  ask<Name extends keyof EmbedCommands>(
    name: Name,
    ...[value]: Parameters<EmbedCommands[Name]>
  ): Promise<ReturnType<EmbedCommands[Name]>> {
    const port = this.#port
    if (!port)
      return Promise.reject(
        new EmbedError('not-joined', 'The conference is not there yet: wait for "joined".'),
      )
    const command: Command = { id: ++this.#lastId, name, value }
    return new Promise<unknown>((resolve, reject) => {
      this.#waiting.set(command.id, { resolve, reject })
      if (name === 'startShare') this.#delegate(command)
      else port.postMessage({ do: 'command', command } satisfies ToFrame)
    }) as Promise<ReturnType<EmbedCommands[Name]>>
  }

  /** Tells the frame that its options have changed. */
  setOptions(): void {
    this.#port?.postMessage({ do: 'open', options: this.#given.options() } satisfies ToFrame)
  }

  end(): void {
    window.removeEventListener('message', this.#onGreeting)
    this.#stopWaiting()
    this.#port?.close()
    this.#port = null
    for (const { reject } of this.#waiting.values())
      reject(new EmbedError('not-joined', 'The conference is gone.'))
    this.#waiting.clear()
  }

  /** The frame greets anew when its page was loaded anew. Only its own window at its own origin counts. */
  readonly #onGreeting = ({ source, origin, data }: MessageEvent): void => {
    const { frame, server, options } = this.#given
    const page = frame.contentWindow
    if (!page || source !== page || origin !== server || data?.parley !== 'hello') return
    this.#stopWaiting()
    this.#port?.close()
    const { port1, port2 } = new MessageChannel()
    this.#port = port1
    port1.onmessage = (event: MessageEvent<ToElement>) => this.#take(event.data)
    page.postMessage({ parley: 'connect' } satisfies Connection, server, [port2])
    port1.postMessage({ do: 'open', options: options() } satisfies ToFrame)
  }

  #delegate(command: Command): void {
    const { frame, server } = this.#given
    const message: DelegatedCommand = { parley: 'command', command }
    const how: Delegation = { targetOrigin: server }
    const isClick = navigator.userActivation?.isActive === true
    try {
      frame.contentWindow?.postMessage(message, {
        ...how,
        ...(isClick && { delegate: 'display-capture' }),
      } as Delegation)
    } catch {
      // This browser hands on other rights, but not this one.
      frame.contentWindow?.postMessage(message, how)
    }
  }

  #take(message: ToElement): void {
    if (message.is === 'event') {
      this.#given.onEvent(message.name, message.detail)
      return
    }
    const waiting = this.#waiting.get(message.id)
    this.#waiting.delete(message.id)
    if (message.is === 'result') waiting?.resolve(message.value)
    else waiting?.reject(new EmbedError(message.code, message.message))
  }

  #stopWaiting(): void {
    for (const timer of this.#timers) clearTimeout(timer)
  }

  /** A browser does not tell why it shows no page in a frame. The server knows whether it forbids this page. */
  async #askWhy(): Promise<void> {
    const { server, onProblem } = this.#given
    try {
      const address = `${server}/page/embedding?origin=${encodeURIComponent(location.origin)}`
      const { allowed } = (await (await fetch(address)).json()) as { allowed: boolean }
      if (allowed || this.#port) return
      this.#stopWaiting()
      onProblem('origin-not-allowed', notAllowed(location.origin))
    } catch {
      // The policy of this page may forbid the question. The frame may still come.
    }
  }

  #unreachable(): void {
    const { server, onProblem } = this.#given
    if (!this.#port)
      onProblem('unreachable', `${server} does not answer. Check its address and this device's network.`)
  }
}

/** What whoever runs the server has to do. */
const notAllowed = (origin: string): string =>
  origin === 'null'
    ? 'A page without an origin, such as a file or a sandboxed frame, cannot embed a conference.'
    : `Pages of ${origin} may not embed conferences of this server. Allow it there: npx parley projects embed-origins <project-id> --add ${origin}`
