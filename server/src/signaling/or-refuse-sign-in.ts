import { Refusal } from '../errors/refusal.ts'
import type { Connection } from './connection.ts'
import type { RpcRequest } from './json-rpc.ts'

/**
 * Runs a sign-in, and answers it if the token does not admit its bearer.
 * @throws what says that the sign-in could not be judged now
 */
export async function orRefuseSignIn(
  connection: Connection,
  { id }: RpcRequest,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof Refusal && error.fault === 'caller')) throw error
    connection.refuseSignIn(id, error.message)
  }
}
