import { videoConference } from './index.ts'

/** What pages for the hosted service have: the place of `VideoConference`, and more of their own. */
interface HostedService {
  AppKit?: object
  Prebuilt?: object
}

// `/embed.js`: the elements, and what pages for the hosted service call.
const page = window as { SignalWire?: HostedService }
page.SignalWire = {
  ...page.SignalWire,
  AppKit: { ...page.SignalWire?.AppKit, VideoConference: videoConference },
  Prebuilt: { ...page.SignalWire?.Prebuilt, VideoRoom: videoConference },
}
