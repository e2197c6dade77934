import type { ListPage, ListRequest } from '../list-page.ts'
import type {
  SignInRecord,
  SubscriberRecord,
  UserInvitationRecord,
  UserRecord,
  UserSessionRecord,
} from '../records.ts'

export interface SubscriberRepository {
  /** @throws UniqueViolation when the project has a subscriber of that reference */
  insert(subscriber: SubscriberRecord): Promise<void>
  find(projectId: string, id: string): Promise<SubscriberRecord | undefined>
  findByReference(projectId: string, reference: string): Promise<SubscriberRecord | undefined>
  list(projectId: string, request: ListRequest): Promise<ListPage<SubscriberRecord>>
}

export interface SignInRepository {
  insert(signIn: SignInRecord): Promise<void>
  find(projectId: string, id: string): Promise<SignInRecord | undefined>
  /**
   * Replaces the unused refresh token, if `usedTokenId` is that token.
   * @returns whether it was. If several callers ask at the same time, exactly one gets true.
   */
  rotate(
    projectId: string,
    id: string,
    usedTokenId: string,
    changes: Pick<SignInRecord, 'refresh_token_id' | 'expires_at'>,
  ): Promise<boolean>
  delete(projectId: string, id: string): Promise<boolean>
  /**
   * Deletes the sign-ins of a subscriber.
   * @param expiredBefore only sign-ins that expired before that time
   * @returns the number of deleted sign-ins
   */
  deleteOfSubscriber(projectId: string, subscriberId: string, expiredBefore?: number): Promise<number>
  /** Number of unexpired sign-ins of each of these subscribers. Subscribers without any are absent. */
  count(projectId: string, subscriberIds: readonly string[], now: number): Promise<Map<string, number>>
}

export interface UserRepository {
  /** @throws UniqueViolation when the project has a user of that name or identity */
  insert(user: UserRecord): Promise<void>
  find(projectId: string, id: string): Promise<UserRecord | undefined>
  /** Searches all projects, oldest first: who signs in need not name the project. */
  findByName(nameKey: string, limit: number): Promise<UserRecord[]>
  findByIdentity(projectId: string, identity: string): Promise<UserRecord | undefined>
  /** Oldest first. */
  list(projectId: string, limit: number): Promise<UserRecord[]>
  count(projectId: string): Promise<number>
  /** Like `list`, for the owners alone. Inside a transaction it locks their rows until the end. */
  holdOwners(projectId: string): Promise<UserRecord[]>
  update(projectId: string, id: string, changes: Partial<UserRecord>): Promise<UserRecord | undefined>
  /** Deletes a user with its sessions and invitations. */
  delete(projectId: string, id: string): Promise<boolean>
}

export interface UserSessionRepository {
  insert(session: UserSessionRecord): Promise<void>
  /** Searches all projects: the hash tells which user the session belongs to. */
  findByHash(hash: string): Promise<{ session: UserSessionRecord; user: UserRecord } | undefined>
  /** Most recently used first. */
  listOfUser(projectId: string, userId: string): Promise<UserSessionRecord[]>
  touch(projectId: string, id: string, at: number): Promise<void>
  delete(projectId: string, userId: string, id: string): Promise<boolean>
  /** @param except id of a session that stays */
  deleteOfUser(projectId: string, userId: string, except?: string): Promise<void>
  /** Deletes sessions of all projects that are over. */
  deleteOver(usedBefore: number, now: number): Promise<void>
}

export interface UserInvitationRepository {
  insert(invitation: UserInvitationRecord): Promise<void>
  /** Searches all projects: the hash tells which one the invitation belongs to. */
  findByHash(hash: string): Promise<UserInvitationRecord | undefined>
  /** @returns whether it was there. If several callers ask at the same time, exactly one gets true. */
  delete(projectId: string, id: string): Promise<boolean>
  /** Deletes the invitations of a user; with null those of an owner who has no name yet. */
  deleteOfUser(projectId: string, userId: string | null): Promise<void>
}
