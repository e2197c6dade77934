import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import { type Cluster, NodeUnreachable } from '../cluster/cluster.ts'
import { admitPipe } from '../cluster/pipes/admit-pipe.ts'
import { requestOverPipe } from '../cluster/pipes/request-over-pipe.ts'
import { Refusal } from '../errors/refusal.ts'
import type { RecordingRecord } from '../storage/records.ts'
import type { Storage } from '../storage/storage.ts'

/** Where nodes ask each other for the file of a recording. */
export const RECORDING_OF_NODE_PATH = '/cluster/recording'
/** Where nodes ask each other for the poster of a recording. */
export const POSTER_OF_NODE_PATH = '/cluster/poster'

/** A file that another node may have. */
export type PathOfNode = typeof RECORDING_OF_NODE_PATH | typeof POSTER_OF_NODE_PATH

/** Which recording another node asks for. */
export interface AskedRecording {
  projectId: string
  recordingId: string
  /** Goes into the answer, and says that this is the node that was asked. */
  proof: string
}

/** The files and posters of recordings on the disks of other nodes, which are not, or not yet, in a store of objects. */
export interface RecordingsElsewhere {
  /**
   * Asks the node whose disk has the recording.
   * @param path of what is asked for
   * @param headers of the request, such as its range
   * @returns null if that is this node, or nobody knows
   * @throws Refusal `unavailable` when that node does not answer
   */
  fetch(
    recording: RecordingRecord,
    request: { path: PathOfNode; method: 'GET' | 'HEAD'; headers: OutgoingHttpHeaders },
  ): Promise<IncomingMessage | null>
  /** What a request of another node asks for; null for everybody else. */
  admit(request: IncomingMessage): AskedRecording | null
}

export interface RecordingsElsewhereOptions {
  cluster: Pick<Cluster, 'nodes'>
  storage: Pick<Storage, 'sessions'>
}

export function createRecordingsElsewhere({
  cluster: { nodes },
  storage,
}: RecordingsElsewhereOptions): RecordingsElsewhere {
  const away = (cause?: unknown) =>
    new Refusal('unavailable', {
      message: 'The server that has this recording does not answer. Try again in a few seconds.',
      cause,
    })

  return {
    async fetch({ project_id, room_session_id, id }, request) {
      const owner = (await storage.sessions.find(project_id, room_session_id))?.owner_node ?? null
      if (owner === null || owner === nodes.self.name) return null
      const node = nodes.find(owner)
      if (!node) throw away()
      try {
        return await requestOverPipe(node, { ...request, said: `${project_id}/${id}` })
      } catch (error) {
        if (!(error instanceof NodeUnreachable)) throw error
        throw away(error)
      }
    },
    admit(request) {
      const admitted = admitPipe(request, nodes.self.linkKey)
      const [projectId, recordingId] = admitted?.said.split('/') ?? []
      if (!admitted || projectId === undefined || recordingId === undefined) return null
      return { projectId, recordingId, proof: admitted.proof }
    },
  }
}
