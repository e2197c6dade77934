import { OperatorError } from '../errors/operator-error.ts'
import type { ServerSecrets } from './server-secrets.ts'

/** This server has another root key than the other servers on its database. */
export class RootKeyDiffers extends OperatorError {
  override readonly name = 'RootKeyDiffers'
}

/** Name of the fact in the database. */
const FACT = 'root-key'

/**
 * Checks that all servers on one database have the same root key. With another one, a server could neither read what
 * they sealed nor accept their tokens. The first of them decides.
 * @throws RootKeyDiffers
 */
export async function agreeOnRootKey(
  facts: { agree(name: string, value: string): Promise<string> },
  { fingerprint }: Pick<ServerSecrets, 'fingerprint'>,
): Promise<void> {
  if ((await facts.agree(FACT, fingerprint)) === fingerprint) return
  throw new RootKeyDiffers(
    'this server has another root key than the other servers on its database. Set PARLEY_ROOT_KEY to the same value on all of them, or copy secrets/root.key of the first one into the data folder of each',
  )
}
