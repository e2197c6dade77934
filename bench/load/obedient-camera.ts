import type { RelayClient } from '../../server/src/testing/relay/relay-client.ts'
import type { Member, RecordedCamera } from './member.ts'

/** Pictures of a camera that tell their size. */
export interface SizedCamera extends RecordedCamera {
  height: number
}

/** What a page does: lets the camera send no more than the server asks for. @param films the most first */
export function obey(client: RelayClient, member: Member, films: readonly SizedCamera[]): void {
  let read = 0
  client.socket.on('message', () => {
    for (; read < client.events.length; read++) {
      const { type, params } = client.events[read]!
      if (type !== 'webrtc.message' || params.method !== 'verto.mediaParams') continue
      const { mediaParams } = params.params as { mediaParams: { video: Asked } }
      member.setCamera(within(mediaParams.video, films))
    }
  })
}

interface Asked {
  height: number
  frameRate: number
}

/** The first film that is small and slow enough, or the last one. */
function within({ height, frameRate }: Asked, films: readonly SizedCamera[]): SizedCamera {
  return films.find((film) => film.height <= height && film.fps <= frameRate) ?? films.at(-1)!
}
