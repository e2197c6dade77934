import type { Logger } from 'pino'
import type { Clock } from '../../clock.ts'
import { Refusal } from '../../errors/refusal.ts'
import { MediaOverloaded, type MediaPlane, type MediaRoom } from '../../media/media-plane.ts'
import type { RoomRecord } from '../../storage/records.ts'
import type { Broadcasts } from '../hls/broadcasts.ts'
import type { Previews } from '../previews.ts'
import { within } from './within.ts'

/** How long a join waits for a media room. A dead worker is replaced in less time. */
const MEDIA_ROOM_TIMEOUT_MS = 4000

export interface MediaRoomParts {
  media: Pick<MediaPlane, 'createRoom'>
  previews: Pick<Previews, 'file'>
  broadcasts: Pick<Broadcasts, 'folder'>
  clock: Clock
  log: Logger
}

/**
 * Opens the media of a session.
 * @throws Refusal `server_full` while the workers take no new rooms, `unavailable` if none answers
 */
export async function openMediaRoom(
  { media, previews, broadcasts, clock, log }: MediaRoomParts,
  sessionId: string,
  room: RoomRecord,
): Promise<MediaRoom> {
  const { quality, fps, tone_on_entry_and_exit: toneOnEntryAndExit, name_labels: nameLabels } = room
  const previewFile = room.enable_room_previews ? previews.file(sessionId) : null
  const hlsFolder = room.enable_hls ? broadcasts.folder(sessionId) : null
  const picture = { quality, fps, nameLabels, previewFile, hlsFolder }
  const opening = media.createRoom({ sessionId, toneOnEntryAndExit, ...picture })
  try {
    return await within(clock, MEDIA_ROOM_TIMEOUT_MS, opening, (late) => {
      late.close().catch((error: unknown) => log.warn({ err: error, sessionId }, 'media room not closed'))
    })
  } catch (error) {
    if (error instanceof MediaOverloaded) throw new Refusal('server_full', { cause: error })
    log.error({ err: error, room: room.name }, 'no media room for a session')
    const message = 'The media server is not available. Join again.'
    throw new Refusal('unavailable', { message, cause: error })
  }
}
