import { Refusal } from '../../errors/refusal.ts'
import type { Services } from '../../services.ts'

/**
 * Refuses whoever administers another project than that of the operator: what is about the server as a whole is about
 * the other projects too.
 * @throws Refusal `not_permitted`
 */
export function checkOperator(
  projectId: string,
  { operatorProjectId }: Pick<Services, 'operatorProjectId'>,
): void {
  if (projectId === operatorProjectId) return
  throw new Refusal('not_permitted', 'Only owners of the first project of the server may do this.')
}
