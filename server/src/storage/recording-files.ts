import type { RecordingRecord } from './records.ts'

type WithFile = Pick<RecordingRecord, 'file'>

/** The poster of a recording, a WebP picture: its path below the recordings folder. It may not be there. */
export const posterFile = ({ file }: WithFile): string => `${file.replace(/\.mp4$/, '')}.webp`

/** Everything that may be on the disk for a recording, as paths below the recordings folder. */
export const filesOf = (recording: WithFile): string[] => [recording.file, posterFile(recording)]
