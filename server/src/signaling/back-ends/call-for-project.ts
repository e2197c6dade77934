import type { LiveSession } from '../../rooms/sessions/live-session.ts'
import type { RpcRequest } from '../json-rpc.ts'
import { type Answerer, callAsProject } from '../room-methods/room-methods.ts'

/** Methods that only read. Their names contain one of these verbs. */
const READS = /[._](get|list)(?:[._]|$)/

/** For whom, and on which session. */
export interface ProjectCall {
  /** @throws Refusal `provided_id_is_unrecognized` */
  find: () => LiveSession
  /** Id of the API token of the back end. */
  tokenId: string
}

/**
 * Runs a room method for a project, and writes into the history of the session that the project itself acted. Answers, or
 * throws.
 * @throws Refusal
 */
export async function callForProject(
  answerer: Answerer,
  request: RpcRequest,
  { find, tokenId }: ProjectCall,
): Promise<void> {
  let session: LiveSession | undefined
  await callAsProject(answerer, request, () => {
    session = find()
    return session
  })
  if (!session || READS.test(request.method)) return
  const { method, params } = request
  const { member_id } = params
  session.writes.event('project.acted', {
    payload: {
      method,
      api_token_id: tokenId,
      ...(typeof member_id === 'string' && { member_id: member_id.slice(0, 100) }),
    },
  })
}
