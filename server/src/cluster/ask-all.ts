import type { Cluster } from './cluster.ts'
import { NodeUnreachable } from './cluster.ts'

/**
 * Asks all other nodes the same.
 * @returns what each answered. A node that does not answer in time is left out: it may have died
 */
export async function askAll<T>(
  { messages, nodes }: Pick<Cluster, 'messages' | 'nodes'>,
  subject: string,
  message: unknown,
  timeoutMs: number,
): Promise<T[]> {
  const answers = await Promise.all(
    nodes.others.map(async ({ name }) => {
      try {
        return [(await messages.request(name, subject, message, timeoutMs)) as T]
      } catch (error) {
        if (error instanceof NodeUnreachable) return []
        throw error
      }
    }),
  )
  return answers.flat()
}
