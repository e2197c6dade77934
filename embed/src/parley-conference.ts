import { EmbedError } from './embed-error.ts'
import { FrameLink } from './frame-link.ts'
import type { EmbedCommands, EmbedErrorCode, EmbedEvents, EmbedOptions } from './protocol.ts'
import { defaultServer } from './server.ts'

const STYLE = `
:host { display: block; position: relative; box-sizing: border-box; width: 100%; height: 100%; min-width: 16rem; min-height: 24rem; overflow: hidden; }
:host([hidden]) { display: none; }
iframe, p { position: absolute; inset: 0; width: 100%; height: 100%; border: 0; }
p { box-sizing: border-box; display: grid; place-items: center; margin: 0; padding: 1.5rem; text-align: center; overflow-wrap: anywhere;
  font: 1rem/1.5 system-ui, sans-serif; color: #1d2127; background: #f6f8f8; }
`
const PERMISSIONS =
  'camera; microphone; display-capture; fullscreen; picture-in-picture; autoplay; screen-wake-lock; speaker-selection'

type Listener<Name extends keyof EmbedEvents> = (event: CustomEvent<EmbedEvents[Name]>) => void

/** Attributes that decide who joins, and where. After a change the person joins anew. */
const OF_THE_VISIT = ['token', 'server', 'user-name', 'audience', 'audio', 'video']
/** Attributes that may change during the conference. */
const OF_THE_LOOK = ['theme', 'chat', 'member-list', 'device-picker']

/** A server that renders pages has no elements, but must be able to load this file. */
const Base = typeof HTMLElement === 'undefined' ? (class {} as typeof HTMLElement) : HTMLElement

/** Properties with the values of the attributes, and the types of events. */
export interface ParleyConference {
  token: string
  userName: string | null
  theme: EmbedOptions['theme']
  chat: boolean
  memberList: boolean
  devicePicker: boolean
  audience: boolean
  audio: boolean
  video: boolean
  addEventListener<Name extends keyof EmbedEvents>(
    type: Name,
    listener: Listener<Name>,
    options?: boolean | AddEventListenerOptions,
  ): void
  addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject | null,
    options?: boolean | AddEventListenerOptions,
  ): void
  removeEventListener<Name extends keyof EmbedEvents>(
    type: Name,
    listener: Listener<Name>,
    options?: boolean | EventListenerOptions,
  ): void
  removeEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject | null,
    options?: boolean | EventListenerOptions,
  ): void
}

/**
 * `<parley-conference token="vpt_…">`: a conference in a frame that fills the box of the element. It starts when it has a
 * token and is in the page, and leaves when it is taken out.
 */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the interface adds only types of methods that are there
export class ParleyConference extends Base {
  static readonly observedAttributes = [...OF_THE_VISIT, ...OF_THE_LOOK]
  #link: FrameLink | null = null
  #frame: HTMLIFrameElement | null = null
  #isPlanned = false

  constructor() {
    super()
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(STYLE)
    this.attachShadow({ mode: 'open' }).adoptedStyleSheets = [sheet]
  }

  /** Origin of the server. By default the one that the script came from. */
  get server(): string {
    return new URL(this.getAttribute('server') ?? defaultServer() ?? location.origin, location.href).origin
  }
  set server(server: string) {
    this.setAttribute('server', server)
  }

  connectedCallback(): void {
    this.#start()
  }

  disconnectedCallback(): void {
    this.#end()
  }

  attributeChangedCallback(name: string, before: string | null, after: string | null): void {
    if (before === after || !this.isConnected) return
    if (OF_THE_LOOK.includes(name)) this.#link?.setOptions()
    else this.#startSoon()
  }

  /** Several attributes are often set one after the other: one start is enough. */
  #startSoon(): void {
    if (this.#isPlanned) return
    this.#isPlanned = true
    queueMicrotask(() => {
      this.#isPlanned = false
      if (this.isConnected) this.#start()
    })
  }

  muteAudio = () => this.#ask('muteAudio')
  unmuteAudio = () => this.#ask('unmuteAudio')
  muteVideo = () => this.#ask('muteVideo')
  unmuteVideo = () => this.#ask('unmuteVideo')
  /** The devices of the person, with the ids that {@link setCamera} and the like take. */
  devices = () => this.#ask('devices')
  setCamera = (id: string) => this.#ask('setCamera', id)
  setMicrophone = (id: string) => this.#ask('setMicrophone', id)
  setSpeaker = (id: string) => this.#ask('setSpeaker', id)
  /** Call it in a click. Browsers other than Chromium want that click inside of the frame. */
  startShare = () => this.#ask('startShare')
  stopShare = () => this.#ask('stopShare')
  layouts = () => this.#ask('layouts')
  setLayout = (name: string) => this.#ask('setLayout', name)
  startRecording = () => this.#ask('startRecording')
  stopRecording = () => this.#ask('stopRecording')
  members = () => this.#ask('members')
  removeMember = (id: string) => this.#ask('removeMember', id)
  leave = () => this.#ask('leave')
  /** Ends the conference for everybody. */
  end = () => this.#ask('end')
  /** Shows the conference on the whole screen. Call it in a click. */
  enterFullscreen = async () => this.#frame?.requestFullscreen()

  /** Asks the conference. @throws EmbedError if it is not carried out */
  async #ask<Name extends keyof EmbedCommands>(
    name: Name,
    ...value: Parameters<EmbedCommands[Name]>
  ): Promise<ReturnType<EmbedCommands[Name]>> {
    if (!this.#link) throw new EmbedError('not-joined', 'The element is not in a page, or has no token.')
    return this.#link.ask(name, ...value)
  }

  #start(): void {
    this.#end()
    if (!this.token) {
      this.#problem('token-missing', 'The element has no token: set its attribute "token".')
      return
    }
    const { server } = this
    const frame = document.createElement('iframe')
    frame.title = 'Conference'
    frame.allow = PERMISSIONS
    frame.allowFullscreen = true
    frame.src = `${server}/embed?parent=${encodeURIComponent(location.origin)}`
    this.#link = new FrameLink({
      frame,
      server,
      options: () => optionsOf(this),
      onEvent: (name, detail) => this.#tell(name, detail),
      onProblem: (code, message) => this.#problem(code, message),
    })
    this.#frame = frame
    this.shadowRoot?.replaceChildren(frame)
  }

  #end(): void {
    this.#link?.end()
    this.#link = null
    this.#frame = null
    this.shadowRoot?.replaceChildren()
  }

  #problem(code: EmbedErrorCode, message: string): void {
    const text = document.createElement('p')
    text.setAttribute('role', 'alert')
    text.textContent = message
    this.#link?.end()
    this.#link = null
    this.shadowRoot?.replaceChildren(text)
    this.#tell('error', { code, message })
  }

  #tell(name: string, detail: unknown): void {
    this.dispatchEvent(new CustomEvent(name, { detail }))
  }
}

type WithAttributes = Pick<Element, 'getAttribute' | 'hasAttribute'>

const isOn = (element: WithAttributes, name: string): boolean =>
  !/^(false|off|no|0)$/i.test(element.getAttribute(name) ?? '')

function optionsOf(element: WithAttributes): EmbedOptions {
  const theme = element.getAttribute('theme')
  return {
    token: element.getAttribute('token')?.trim() ?? '',
    userName: element.getAttribute('user-name')?.trim() || null,
    theme: theme === 'light' || theme === 'dark' ? theme : 'auto',
    chat: isOn(element, 'chat'),
    memberList: isOn(element, 'member-list'),
    devicePicker: isOn(element, 'device-picker'),
    audience: element.hasAttribute('audience') && isOn(element, 'audience'),
    audio: isOn(element, 'audio'),
    video: isOn(element, 'video'),
  }
}

// Frameworks set properties where an element has them, and attributes elsewhere. Here both are the same.
for (const name of Object.keys(
  optionsOf({ getAttribute: () => null, hasAttribute: () => false }),
) as (keyof EmbedOptions)[]) {
  const attribute = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  Object.defineProperty(ParleyConference.prototype, name, {
    get(this: ParleyConference) {
      return optionsOf(this)[name]
    },
    set(this: ParleyConference, value: unknown) {
      if (value === null || value === undefined) this.removeAttribute(attribute)
      else this.setAttribute(attribute, String(value))
    },
  })
}
