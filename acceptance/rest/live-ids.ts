import type { Operation } from './api-document.ts'
import { LIVE } from './arbitrary-call.ts'
import type { Call, CallAnswer } from './caller.ts'
import { isProject, type Project } from './project.ts'

/** The smallest number of ids of each kind that are available, and the largest that are remembered. */
const LEAST = 4
const MOST = 40

/** Ids of the resources that a project has now, while requests create and delete them. */
export class LiveIds {
  readonly #project: Project
  readonly #pools = new Map<string, string[]>([
    ['rooms', []],
    ['conferences', []],
    ['conference_tokens', []],
    ['streams', []],
  ])

  constructor(project: Project) {
    this.#project = project
  }

  /** Creates resources until each kind has enough. */
  async refill(): Promise<void> {
    for (const [kind, ids] of this.#pools) {
      while (ids.length < LEAST) ids.push(await this.#project.someId(`/${kind}`))
    }
  }

  /** Returns the request with its placeholders replaced by ids that exist now. */
  fill({ path: template }: Operation, call: Call): Call {
    if (typeof call.path !== 'object') return call
    const values = Object.entries(call.path).map(([name, value]) => {
      if (!value.startsWith(LIVE)) return [name, value]
      if (isProject(name)) return [name, this.#project.projectId]
      const ids = this.#pools.get(kindOf(template)) ?? []
      return [name, ids[Number(value.slice(LIVE.length)) % ids.length] ?? this.#project.projectId]
    })
    return { ...call, path: Object.fromEntries(values) }
  }

  /** Remembers what a request created, and forgets what it deleted. */
  note({ method, path }: Operation, call: Call, { status, json }: CallAnswer): void {
    const ids = this.#pools.get(kindOf(path))
    const id = typeof call.path === 'object' ? call.path.id : undefined
    if (!ids || status > 299) return
    if (method === 'DELETE' && id !== undefined) ids.splice(ids.indexOf(id), ids.includes(id) ? 1 : 0)
    if (method === 'POST' && id === undefined && ids.length < MOST) ids.push(json.id)
  }
}

/** For `/api/video/rooms/{id}/streams` it is `rooms`, because the id is a room's. */
const kindOf = (path: string): string =>
  /\/(\w+)(?:\/\{id\}.*)?$/.exec(path.replace(/(\{id\}).*/, '$1'))?.[1] ?? ''
