import type { Operation } from './api-document.ts'
import { LIVE } from './arbitrary-call.ts'
import type { Call, CallAnswer } from './caller.ts'
import { isProject, type Project } from './project.ts'

/** So many of a kind are at hand at least, and are remembered at most. */
const LEAST = 4
const MOST = 40

/** What a project has at present, while requests make and delete it. */
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

  /** Makes what is missing. */
  async refill(): Promise<void> {
    for (const [kind, ids] of this.#pools) {
      while (ids.length < LEAST) ids.push(await this.#project.someId(`/${kind}`))
    }
  }

  /** The request with ids that are there now in the places that are marked for them. */
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

  /** Remembers what a request made, and forgets what it deleted. */
  note({ method, path }: Operation, call: Call, { status, json }: CallAnswer): void {
    const ids = this.#pools.get(kindOf(path))
    const id = typeof call.path === 'object' ? call.path.id : undefined
    if (!ids || status > 299) return
    if (method === 'DELETE' && id !== undefined) ids.splice(ids.indexOf(id), ids.includes(id) ? 1 : 0)
    if (method === 'POST' && id === undefined && ids.length < MOST) ids.push(json.id)
  }
}

/** Of `/api/video/rooms/{id}/streams` it is `rooms`: that is whose id is in it. */
const kindOf = (path: string): string =>
  /\/(\w+)(?:\/\{id\}.*)?$/.exec(path.replace(/(\{id\}).*/, '$1'))?.[1] ?? ''
