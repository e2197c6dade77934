import { columns } from './columns.ts'
import type { UserInvitationRepository } from './interfaces/people.ts'
import type { UserInvitationRecord } from './records.ts'
import type { Database } from './tables.ts'

const invitationColumns = columns<UserInvitationRecord>({})

/** Invitations of users in the database. */
export function userInvitationRepository(db: Database): UserInvitationRepository {
  const deletion = (projectId: string) =>
    db.deleteFrom('user_invitations').where('project_id', '=', projectId)
  return {
    async insert(invitation) {
      await db.insertInto('user_invitations').values(invitationColumns.toRow(invitation)).execute()
    },
    async findByHash(hash) {
      const found = db.selectFrom('user_invitations').selectAll().where('hash', '=', hash)
      const row = await found.executeTakeFirst()
      return row && invitationColumns.fromRow(row)
    },
    async delete(projectId, id) {
      const result = await deletion(projectId).where('id', '=', id).executeTakeFirst()
      return result.numDeletedRows > 0n
    },
    async deleteOfUser(projectId, userId) {
      const ofUser =
        userId === null
          ? deletion(projectId).where('user_id', 'is', null)
          : deletion(projectId).where('user_id', '=', userId)
      await ofUser.execute()
    },
  }
}
