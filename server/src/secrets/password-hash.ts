import type { Options } from '@node-rs/argon2'

/**
 * Argon2id (RFC 9106), which is algorithm 2 of the library, with 19 MiB, two passes and one lane, as OWASP's cheat sheet
 * for passwords has it.
 */
const ARGON: Options = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** A hash like all others, of a password that nobody has. */
const NOBODYS =
  '$argon2id$v=19$m=19456,t=2,p=1$5W9NfSjqWcEXpR7V5VSewQ$ePU+qQIUfdoOwNqCiEFBgpM19N+o8dOxfCvRtyzxjS0'

/** Loaded with the first password: a server without users does without it. */
const library = () => import('@node-rs/argon2')

/** Password hashes that are made at a time. Each takes 19 MiB and a thread of the pool for about 40 ms. */
const AT_ONCE = 2
/** Others that wait for their turn: about a second and a half of work. */
const WAITING_MAX = 64

/** There is too much work with passwords to take more. */
export class PasswordsBusy extends Error {
  override readonly name = 'PasswordsBusy'
}

/** Hashes and checks passwords, off the event loop and few at a time. */
export interface PasswordHashes {
  /** @throws PasswordsBusy */
  make(password: string): Promise<string>
  /**
   * Takes the same time whether or not there is a hash.
   * @param known the stored hash; null to do the work in vain
   * @throws PasswordsBusy
   */
  matches(password: string, known: string | null): Promise<boolean>
}

/** Creates {@link PasswordHashes}, with a queue of its own. */
export function createPasswordHashes(): PasswordHashes {
  const waiting: (() => void)[] = []
  let running = 0

  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (running >= AT_ONCE) {
      if (waiting.length >= WAITING_MAX) throw new PasswordsBusy('too many passwords are being checked')
      await new Promise<void>((resolve) => waiting.push(resolve))
    } else {
      running++
    }
    try {
      return await work()
    } finally {
      // The turn goes to the next one, so that `running` never falls below what runs.
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }

  return {
    make: (password) => inTurn(async () => (await library()).hash(password, ARGON)),
    matches: (password, known) =>
      inTurn(async () => {
        const { verify } = await library()
        if (known !== null) return verify(known, password)
        await verify(NOBODYS, password)
        return false
      }),
  }
}
