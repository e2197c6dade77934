import type { MemberMedia } from '../../media/channel.ts'

/** A member who is heard and seen, at the usual levels. */
export const memberMedia = (memberId: string, changes: Partial<MemberMedia> = {}): MemberMedia => ({
  memberId,
  name: memberId,
  audioMuted: false,
  videoMuted: false,
  deaf: false,
  inputVolume: 0,
  outputVolume: 0,
  inputSensitivity: 44,
  ...changes,
})
