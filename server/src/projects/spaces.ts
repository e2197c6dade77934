import { spaceOfHost } from '../space-of-host.ts'
import type { Storage } from '../storage/storage.ts'

/** The spaces of this server. Each is a host of its own, and the credentials of its projects work only there. */
export interface Spaces {
  /** Whether a host, with or without port, belongs to a space. */
  isSpace(host: string): boolean
  /** Whether the credentials of a project work at a host. Always true without spaces. */
  admits(projectId: string, host: string): boolean | Promise<boolean>
}

/** @param serviceDomain null when there are no spaces */
export function createSpaces(storage: Pick<Storage, 'projects'>, serviceDomain: string | null): Spaces {
  return {
    isSpace: (host) => spaceOfHost(host, serviceDomain) !== null,
    admits: (projectId, host) =>
      serviceDomain === null || isInSpace(projectId, spaceOfHost(host, serviceDomain)),
  }

  async function isInSpace(projectId: string, space: string | null): Promise<boolean> {
    // Storage is queried each time, so that a moved project changes its host at once.
    const project = await storage.projects.find(projectId)
    return project !== undefined && project.space === space
  }
}
