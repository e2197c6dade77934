import { ParleyConference } from './parley-conference.ts'
import { roomSessionOf } from './room-session.ts'

/** What pages for the hosted service give to `SignalWire.AppKit.VideoConference`. */
export interface VideoConferenceParameters {
  token: string
  userName?: string
  theme?: 'auto' | 'light' | 'dark'
  chat?: boolean
  memberList?: boolean
  devicePicker?: boolean
  audio?: boolean | object
  video?: boolean | object
  /** Where it goes: into this element, or after it if that is a script. By default at the end of the page. */
  rootElement?: Element | null
  /** Gets the call object before the person joins. */
  setupRoomSession?: SetupRoomSession
  /** Gets the call object once the person is in. */
  onReady?: SetupRoomSession
}

type SetupRoomSession = (roomSession: ReturnType<typeof roomSessionOf>) => void

/** `<sw-video-conference>`: the element by the name, and with the callback, that pages for the hosted service use. */
export class SwVideoConference extends ParleyConference {
  #setUp: SetupRoomSession | undefined

  get setupRoomSession(): SetupRoomSession | undefined {
    return this.#setUp
  }
  /** It is called once, with what serves all visits of this element. */
  set setupRoomSession(setUp: SetupRoomSession | undefined) {
    const isFirst = this.#setUp === undefined
    this.#setUp = setUp
    if (isFirst && setUp) queueMicrotask(() => this.#setUp?.(roomSessionOf(this)))
  }
}

/** Puts a conference into the page, as `SignalWire.AppKit.VideoConference` of the hosted service does. */
export function videoConference(parameters: VideoConferenceParameters): SwVideoConference {
  const { rootElement, setupRoomSession, onReady, ...options } = parameters
  const element = document.createElement('sw-video-conference') as SwVideoConference
  for (const [name, value] of Object.entries(options)) {
    // Constraints of devices are an object, and mean that the device may be used.
    if (name in element) Reflect.set(element, name, typeof value === 'object' ? true : value)
  }
  if (setupRoomSession) element.setupRoomSession = setupRoomSession
  if (onReady) element.addEventListener('joined', () => onReady(roomSessionOf(element)), { once: true })
  if (rootElement?.tagName !== 'SCRIPT') (rootElement ?? document.body).append(element)
  else if (document.body.contains(rootElement)) rootElement.after(element)
  else document.body.append(element)
  return element
}
