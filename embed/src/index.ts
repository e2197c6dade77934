import { SwVideoConference } from './app-kit.ts'
import { ParleyConference } from './parley-conference.ts'

export { type VideoConferenceParameters, videoConference } from './app-kit.ts'
export { EmbedError } from './embed-error.ts'
export type {
  EmbedDevice,
  EmbedErrorCode,
  EmbedEvents,
  EmbedMember,
  EmbedOptions,
  LeftReason,
} from './protocol.ts'
export { ParleyConference, SwVideoConference }

declare global {
  interface HTMLElementTagNameMap {
    'parley-conference': ParleyConference
    'sw-video-conference': SwVideoConference
  }
}

// The script and a bundle may both be in a page.
if (typeof customElements !== 'undefined') {
  if (!customElements.get('parley-conference')) customElements.define('parley-conference', ParleyConference)
  if (!customElements.get('sw-video-conference'))
    customElements.define('sw-video-conference', SwVideoConference)
}
