import { columns } from './columns.ts'
import type { ChatMessageRepository } from './interfaces/chat.ts'
import { readPage } from './keyset.ts'
import type { ChatMessageRecord } from './records.ts'
import type { Database } from './tables.ts'

const messageColumns = columns<ChatMessageRecord>({ meta: 'json' })

/** Messages of chat channels in the database. */
export function chatMessageRepository(db: Database): ChatMessageRepository {
  const ofProject = (projectId: string) =>
    db.selectFrom('chat_messages').selectAll().where('project_id', '=', projectId)
  const ofConferences = (projectId: string) => ofProject(projectId).where('room_session_id', 'is not', null)
  return {
    async insert(message) {
      await db.insertInto('chat_messages').values(messageColumns.toRow(message)).execute()
    },
    async listOfChannel(projectId, channel, request) {
      const query = ofProject(projectId).where('channel', '=', channel)
      const page = await readPage(db, query, 'created_at', 'newest-first', request)
      return { ...page, rows: page.rows.map(messageColumns.fromRow) }
    },
    async findOfConferences(projectId, id) {
      const row = await ofConferences(projectId).where('id', '=', id).executeTakeFirst()
      return row && messageColumns.fromRow(row)
    },
    async listOfConferences(projectId, request) {
      const page = await readPage(db, ofConferences(projectId), 'created_at', 'newest-first', request)
      return { ...page, rows: page.rows.map(messageColumns.fromRow) }
    },
  }
}
