import type { SessionEvent, SessionView } from './participant.ts'

/** What changes in a session without an event for its clients: connections of its people, and of its streams. */
export type QuietChange = 'connection' | 'stream'

/** Somebody outside of the sessions who is told what happens in all sessions of a project, such as a back end. */
export interface SessionWatcher {
  /** All watchers and participants get the same event object. Read it before this returns. */
  sessionEvent(event: SessionEvent): void
  /** For watchers who show more than clients know. */
  quietChange?(session: SessionView, what: QuietChange): void
}

/** The watchers of all projects. An event of a project without watchers costs one look-up. */
export class SessionWatchers {
  readonly #ofProject = new Map<string, Set<SessionWatcher>>()

  /** From now on the watcher is told the events of this project. Adding it again changes nothing. */
  add(projectId: string, watcher: SessionWatcher): void {
    const watchers = this.#ofProject.get(projectId)
    if (watchers) watchers.add(watcher)
    else this.#ofProject.set(projectId, new Set([watcher]))
  }

  remove(projectId: string, watcher: SessionWatcher): void {
    const watchers = this.#ofProject.get(projectId)
    watchers?.delete(watcher)
    if (watchers?.size === 0) this.#ofProject.delete(projectId)
  }

  tell(event: SessionEvent): void {
    const watchers = this.#ofProject.get(event.session.projectId)
    if (!watchers) return
    for (const watcher of watchers) watcher.sessionEvent(event)
  }

  tellQuietly(session: SessionView, what: QuietChange): void {
    const watchers = this.#ofProject.get(session.projectId)
    if (!watchers) return
    for (const watcher of watchers) watcher.quietChange?.(session, what)
  }
}
