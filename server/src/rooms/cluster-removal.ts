import type { Cluster } from '../cluster/cluster.ts'
import {
  createRecordingRemoval,
  type RecordingRemoval,
  type RecordingRemovalOptions,
} from './recording-removal.ts'

const DELETED = 'recordings.deleted'

/** Deletes recordings of all nodes: each removes the files on its own disk, as soon as it hears of them. */
export function clusterRemoval(
  { isAlone, nodes, messages }: Pick<Cluster, 'isAlone' | 'nodes' | 'messages'>,
  options: Omit<RecordingRemovalOptions, 'here' | 'tellOthers'>,
): RecordingRemoval {
  const removal = createRecordingRemoval({
    ...options,
    here: { node: nodes.self.name, isAlone },
    tellOthers: () => messages.publish(DELETED, {}),
  })
  let isRunning = false
  let isWanted = false

  /** However many are told of at once, the table is read by one at a time. */
  async function retrySoon(): Promise<void> {
    isWanted = true
    if (isRunning) return
    isRunning = true
    while (isWanted) {
      isWanted = false
      await removal.retry().catch((error: unknown) => {
        options.log.warn({ err: error }, 'files of deleted recordings are left to the next sweep')
      })
    }
    isRunning = false
  }

  messages.subscribe(DELETED, () => void retrySoon())
  return removal
}
