import { spaceOfHost } from '../space-of-host.ts'
import type { Storage } from '../storage/storage.ts'

/** The spaces of this server: each is a host of its own, and the credentials of its projects work there alone. */
export interface Spaces {
  /** Whether a host, with or without port, is that of a space. */
  isSpace(host: string): boolean
  /** Whether the credentials of a project work at a host. Always, where there are no spaces. */
  admits(projectId: string, host: string): boolean | Promise<boolean>
}

/** @param serviceDomain null where there are no spaces */
export function createSpaces(storage: Pick<Storage, 'projects'>, serviceDomain: string | null): Spaces {
  return {
    isSpace: (host) => spaceOfHost(host, serviceDomain) !== null,
    admits: (projectId, host) =>
      serviceDomain === null || isInSpace(projectId, spaceOfHost(host, serviceDomain)),
  }

  async function isInSpace(projectId: string, space: string | null): Promise<boolean> {
    // Asked each time: a project that was moved is elsewhere at once.
    const project = await storage.projects.find(projectId)
    return project !== undefined && project.space === space
  }
}
