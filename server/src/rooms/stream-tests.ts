import type { Logger } from 'pino'
import { type Actor, recordAct } from '../audit/audit.ts'
import type { Clock } from '../clock.ts'
import { Refusal } from '../errors/refusal.ts'
import { newId } from '../ids.ts'
import type { StreamLossCause } from '../media/channel.ts'
import type { MediaPlane, MediaRoom } from '../media/media-plane.ts'
import type { Targets } from '../outgoing/targets.ts'
import type { Storage } from '../storage/storage.ts'
import { connectionTarget, STREAM_PROTOCOLS } from './streams.ts'

/** What became of a test. All failures to connect are one, as for other streams: see `errorClassOf`. */
export interface StreamTest {
  outcome: 'taken' | 'unknown_host' | 'unreachable' | StreamLossCause
  /** How long the destination took the picture, in milliseconds. */
  publishedMs: number
}

/** Tries destinations of streams. */
export interface StreamTests {
  /**
   * Sends a few seconds of test picture to an address.
   * @throws Refusal `url_failed_to_parse`, `url_is_unsafe`, `rate_limit_exceeded` while too many tests run
   */
  run(projectId: string, url: string, actor: Actor): Promise<StreamTest>
}

export interface StreamTestsOptions {
  media: Pick<MediaPlane, 'createRoom'>
  targets: Targets
  storage: Pick<Storage, 'audit'>
  clock: Clock
  log: Logger
}

/** How long the test picture is sent, in milliseconds. */
const PUBLISHED_MS = 3000
/** Tests at a time, of all projects: each takes an encoder. */
const TESTS_MAX = 2
/** The name card is the test picture: it says what it is, in any language. */
const CARD = { memberId: 'test', name: 'Parley ▸ RTMP' }

/** Creates {@link StreamTests}. */
export function createStreamTests({ media, targets, storage, clock, log }: StreamTestsOptions): StreamTests {
  const running = new Set<string>()

  /** @returns null for a name that leads nowhere */
  async function resolved(url: string) {
    try {
      return await targets.resolve(url, STREAM_PROTOCOLS, 'url')
    } catch (error) {
      if (error instanceof Refusal && error.code === 'url_failed_to_parse') return null
      throw error
    }
  }

  async function testIn(room: MediaRoom, url: string, target: Parameters<typeof connectionTarget>[0]) {
    const streamId = newId()
    const lost = Promise.withResolvers<StreamLossCause>()
    room.on('streamLost', ({ cause }) => lost.resolve(cause))
    await showCard(room)
    try {
      await room.startStream({ streamId, url, target: connectionTarget(target) })
    } catch (error) {
      log.info({ err: error }, 'a tested destination did not take the stream')
      return { outcome: 'unreachable', publishedMs: 0 } as const
    }
    const startedAt = clock.monotonicMs()
    const over = Promise.withResolvers<'taken'>()
    const timer = clock.after(PUBLISHED_MS, () => over.resolve('taken'))
    const outcome = await Promise.race([lost.promise, over.promise])
    timer.cancel()
    return { outcome, publishedMs: Math.round(clock.monotonicMs() - startedAt) }
  }

  return {
    async run(projectId, url, actor) {
      await targets.check(url, STREAM_PROTOCOLS, 'url')
      if (running.has(projectId) || running.size >= TESTS_MAX) {
        throw new Refusal('rate_limit_exceeded', 'Another test is running. Try again in a few seconds.')
      }
      running.add(projectId)
      try {
        await recordAct(storage, { actor, action: 'stream.test', projectId }, clock.now())
        const target = await resolved(url)
        if (!target) return { outcome: 'unknown_host', publishedMs: 0 }
        const room = await media.createRoom({
          sessionId: newId(),
          quality: '720p',
          fps: 20,
          toneOnEntryAndExit: false,
          nameLabels: false,
          previewFile: null,
          hlsFolder: null,
        })
        try {
          return await testIn(room, url, target)
        } finally {
          await room.close()
        }
      } finally {
        running.delete(projectId)
      }
    },
  }
}

async function showCard(room: MediaRoom): Promise<void> {
  await room.setMember({
    ...CARD,
    audioMuted: true,
    videoMuted: true,
    deaf: true,
    inputVolume: 0,
    outputVolume: 0,
    inputSensitivity: 0,
  })
  await room.setTiles([{ memberId: CARD.memberId, x: 0, y: 0, width: 100, height: 100 }])
}
