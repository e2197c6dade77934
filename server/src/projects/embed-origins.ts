import { type Actor, recordAct } from '../audit/audit.ts'
import type { Clock } from '../clock.ts'
import { Refusal } from '../errors/refusal.ts'
import type { Storage } from '../storage/storage.ts'
import { entriesFor, MOST_EMBED_ORIGINS, readEmbedOrigin } from './embed-origin.ts'

/** Origins whose pages may embed the conferences and rooms of a project. At first there are none. */
export interface EmbedOrigins {
  /** Sorted. */
  list(projectId: string): Promise<string[]>
  /**
   * Changes the list.
   * @param change gets the present list, and gives the new one; its entries need not be in their final form
   * @returns the new list
   * @throws Refusal `list_contains_invalid_entries`, `invalid_parameter` for too many,
   * `provided_id_is_unrecognized`
   */
  change(
    projectId: string,
    change: (present: readonly string[]) => readonly string[],
    actor: Actor,
  ): Promise<string[]>
  /** Whether a page of this origin may embed what the project has. */
  allows(projectId: string, origin: string): Promise<boolean>
  /** Whether any project lists this origin. */
  isKnown(origin: string): Promise<boolean>
}

export function createEmbedOrigins({ storage, clock }: { storage: Storage; clock: Clock }): EmbedOrigins {
  return {
    list: (projectId) => storage.embedOrigins.list(projectId),
    change: (projectId, change, actor) =>
      storage.transaction(async (tx) => {
        if (!(await tx.projects.find(projectId))) {
          throw new Refusal('provided_id_is_unrecognized', { attribute: 'id' })
        }
        const before = await tx.embedOrigins.list(projectId)
        const after = [...new Set(change(before).map(readEmbedOrigin))].sort()
        if (after.length > MOST_EMBED_ORIGINS) throw tooMany()
        if (after.join() === before.join()) return after
        await tx.embedOrigins.replace(projectId, after)
        const details = {
          added: after.filter((origin) => !before.includes(origin)).slice(0, MOST_LOGGED),
          removed: before.filter((origin) => !after.includes(origin)).slice(0, MOST_LOGGED),
        }
        await recordAct(tx, { actor, action: 'project.embed_origins', projectId, details }, clock.now())
        return after
      }),
    allows: (projectId, origin) => storage.embedOrigins.isListed(projectId, entriesFor(origin)),
    isKnown: (origin) => storage.embedOrigins.isListed(null, entriesFor(origin)),
  }
}

/** Origins in one entry of the audit log. */
const MOST_LOGGED = 50

const tooMany = () =>
  new Refusal('invalid_parameter', {
    attribute: 'origins',
    message: `A project lists at most ${MOST_EMBED_ORIGINS} origins. Use a pattern such as https://*.shop.example.`,
  })
