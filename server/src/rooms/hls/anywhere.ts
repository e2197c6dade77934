import { open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { type Clock, steadyClock } from '../../clock.ts'
import { type Cluster, NodeUnreachable } from '../../cluster/cluster.ts'
import { Counts } from '../../counts.ts'
import { Refusal } from '../../errors/refusal.ts'
import type { SessionRecord } from '../../storage/records.ts'
import type { Storage } from '../../storage/storage.ts'
import type { Broadcasts } from './broadcasts.ts'
import { continuationOf } from './continuations.ts'
import { LONGEST_WAIT_MS, mediaOf, playlistText } from './local-broadcast.ts'
import { SharedAnswers } from './shared-answers.ts'
import type { HlsMedia, PlaylistAnswer, WantedEnd, WatchedSession, Watching } from './watching.ts'

/** Bytes of media in one message between nodes. A part has some 150 KB. */
const CHUNK_BYTES = 256 * 1024
/** Chunks of other nodes' sessions that are kept: 16 MB. */
const CHUNKS = 64
/** What else is kept of other nodes' sessions. */
const ANSWERS = 1000
/** How long the node of a session is known. It changes only when the session ends. */
const SESSION_MS = 1000
/** How long the newest playlist is passed on; a new part comes twice a second. */
const NEWEST_MS = 250
/** A playlist that has what was wanted stays right for whoever wants that. */
const WANTED_MS = 2000
/** Names are never used again. */
const MEDIA_MS = 24_000
const ANSWER_MS = LONGEST_WAIT_MS + 1500
/** Questions about one session that may be under way to its node. Players of one session wait for few different things. */
const MOST_ASKED = 100

const PLAYLIST = 'hls.playlist'
const MEDIA = 'hls.media'
const nobodyLeft = () => false

interface AskedPlaylist extends WatchedSession {
  wanted: WantedEnd | null
}
interface AskedMedia extends WatchedSession {
  file: string
  /** Offset in the file, in bytes. */
  at: number
}
interface Chunk {
  /** Of all of the file, in bytes. */
  length: number
  bytes: Buffer
}

export interface AnywhereOptions {
  broadcasts: Pick<Broadcasts, 'playlist' | 'folder' | 'link'>
  cluster: Pick<Cluster, 'nodes' | 'messages'>
  storage: Pick<Storage, 'sessions' | 'events'>
  clock: Clock
}

/**
 * The sessions of all nodes, as those who watch over HLS ask any of them. What another node has comes over the messages
 * between nodes, once for all who watch by this node.
 */
export function watchAnywhere({ broadcasts, cluster, storage, clock }: AnywhereOptions): Watching {
  const { messages, nodes } = cluster
  const steady = steadyClock(clock)
  const sessions = new SharedAnswers<SessionRecord | undefined>(steady, ANSWERS)
  const playlists = new SharedAnswers<string>(steady, ANSWERS)
  const chunks = new SharedAnswers<Chunk>(steady, CHUNKS)
  const asked = new Counts()

  function here(sessionId: string) {
    const playlist = broadcasts.playlist(sessionId)
    if (!playlist) throw new Refusal('file_not_found')
    return playlist
  }

  messages.serve(PLAYLIST, async (asked) => {
    const { sessionId, wanted } = asked as AskedPlaylist
    return playlistText(here(sessionId), wanted, nobodyLeft)
  })
  messages.serve(MEDIA, async (asked) => {
    const { sessionId, file, at } = asked as AskedMedia
    const media = await mediaOf(here(sessionId), broadcasts.folder(sessionId), file, nobodyLeft)
    const length = Math.max(0, Math.min(CHUNK_BYTES, media.length - at))
    const handle = await open(media.path, 'r')
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, media.offset + at)
      return { length: media.length, bytes: buffer.toString('base64', 0, bytesRead) }
    } finally {
      await handle.close()
    }
  })

  const sessionOf = ({ projectId, sessionId }: WatchedSession) =>
    sessions.get(sessionId, SESSION_MS, () => storage.sessions.find(projectId, sessionId))

  /** The other node that has the session; null if none does. @throws Refusal `unavailable` if it is gone */
  function otherNode({ status, owner_node }: SessionRecord): string | null {
    if (owner_node === null || owner_node === nodes.self.name) return null
    if (nodes.find(owner_node)) return owner_node
    if (status !== 'in-progress') return null
    throw new Refusal('unavailable', 'The server of this meeting is gone. Ask again in a few seconds.')
  }

  async function ask<T>(node: string, subject: string, message: AskedPlaylist | AskedMedia): Promise<T> {
    const { sessionId } = message
    if (asked.of(sessionId) >= MOST_ASKED) {
      throw new Refusal(
        'unavailable',
        'Too much of this meeting is asked for at once. Ask again in a few seconds.',
      )
    }
    asked.add(sessionId)
    try {
      return (await messages.request(node, subject, message, ANSWER_MS)) as T
    } catch (error) {
      if (!(error instanceof NodeUnreachable)) throw error
      const words = 'The server of this meeting does not answer. Ask again in a few seconds.'
      throw new Refusal('unavailable', { message: words, cause: error })
    } finally {
      asked.remove(sessionId)
    }
  }

  async function goesOn(session: SessionRecord): Promise<PlaylistAnswer | 'soon' | null> {
    if (session.status === 'in-progress') return null
    const next = await continuationOf(session, { storage, clock })
    if (next === null || next === 'soon') return next
    const goesOnAt = broadcasts.link(next)
    return goesOnAt === null ? null : { goesOnAt }
  }

  async function playlist(
    watched: WatchedSession,
    wanted: WantedEnd | null,
    isGone: () => boolean,
  ): Promise<PlaylistAnswer> {
    const own = broadcasts.playlist(watched.sessionId)
    if (own && !own.isOver) return { text: await playlistText(own, wanted, isGone) }
    const session = await sessionOf(watched)
    if (!session) throw new Refusal('file_not_found')
    const next = await goesOn(session)
    if (next !== null && next !== 'soon') return next
    // The end of what was interrupted can still be watched, where its node lives.
    if (own) return { text: await playlistText(own, wanted, isGone) }
    const node = otherNode(session)
    if (node !== null) {
      const key = `${watched.sessionId}/${wanted ? `${wanted.segment}.${wanted.part}` : ''}`
      const asking = playlists.get(key, wanted ? WANTED_MS : NEWEST_MS, () =>
        ask<string>(node, PLAYLIST, { ...watched, wanted }),
      )
      return { text: await asking.catch((error: unknown) => refuse(error, session)) }
    }
    if (next === 'soon') {
      throw new Refusal(
        'unavailable',
        'This meeting was interrupted. It may go on soon: ask again in a few seconds.',
      )
    }
    return refuse(new Refusal('file_not_found'), session)
  }

  async function media(watched: WatchedSession, file: string, isGone: () => boolean): Promise<HlsMedia> {
    const own = broadcasts.playlist(watched.sessionId)
    if (own) return mediaOf(own, broadcasts.folder(watched.sessionId), file, isGone)
    const session = await sessionOf(watched)
    const node = session ? otherNode(session) : null
    if (node === null) throw new Refusal('file_not_found')
    const chunkAt = (at: number) =>
      chunks.get(`${watched.sessionId}/${file}/${at}`, MEDIA_MS, async () => {
        const answer = await ask<{ length: number; bytes: string }>(node, MEDIA, { ...watched, file, at })
        return { length: answer.length, bytes: Buffer.from(answer.bytes, 'base64') }
      })
    const first = await chunkAt(0)
    return { length: first.length, content: Readable.from(inChunks(first, chunkAt), { objectMode: false }) }
  }

  return { playlist, media }
}

/** Throws the error. A session that has just begun has nothing to watch, but will have it in a moment. */
function refuse(error: unknown, { status, enable_hls }: SessionRecord): never {
  const isAbsent = error instanceof Refusal && error.code === 'file_not_found'
  if (!isAbsent || status !== 'in-progress' || !enable_hls) throw error
  throw new Refusal('unavailable', 'There is nothing to watch yet. Ask again in a second.')
}

async function* inChunks(first: Chunk, chunkAt: (at: number) => Promise<Chunk>): AsyncGenerator<Buffer> {
  let chunk = first
  let at = 0
  while (chunk.bytes.length > 0) {
    yield chunk.bytes
    at += chunk.bytes.length
    if (at >= first.length) return
    chunk = await chunkAt(at)
  }
  if (at < first.length) throw new Error('the other node has less of the file than it said')
}
