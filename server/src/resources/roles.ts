/** What a user may do in a project, from most to least. */
export const ROLES = ['owner', 'operator', 'viewer'] as const
export type Role = (typeof ROLES)[number]

/**
 * The three kinds of rights: see what is there; run rooms, conferences, recordings and streams; decide about users, API
 * tokens and the server.
 */
export const RIGHTS = ['read', 'operate', 'administer'] as const
export type Right = (typeof RIGHTS)[number]

const RIGHTS_OF: Readonly<Record<Role, readonly Right[]>> = {
  owner: RIGHTS,
  operator: ['read', 'operate'],
  viewer: ['read'],
}

/** The rights of a role. */
export const rightsOf = (role: Role): readonly Right[] => RIGHTS_OF[role]
