import { opensslError } from '../error-queue.ts'
import { Memory } from '../memory.ts'
import { bind, POINTER } from '../native.ts'

const newContext = bind<() => number>('HMAC_CTX_new', POINTER, [])
const freeContext = bind<(context: number) => void>('HMAC_CTX_free', 'void', [POINTER])
const initialise = bind<
  (context: number, key: number, length: number, digest: number, engine: number) => number
>('HMAC_Init_ex', 'int', [POINTER, POINTER, 'int', POINTER, POINTER])
const update = bind<(context: number, data: number, length: number) => number>('HMAC_Update', 'int', [
  POINTER,
  POINTER,
  'size_t',
])
const final = bind<(context: number, digest: number, length: number) => number>('HMAC_Final', 'int', [
  POINTER,
  POINTER,
  POINTER,
])
const sha1 = bind<() => number>('EVP_sha1', POINTER, [])

const DIGEST_BYTES = 20

/** HMAC-SHA1 with one key. */
export class Hmac {
  /** What {@link compute} has found. */
  readonly digest = new Memory(DIGEST_BYTES)
  #context: number

  constructor(key: Buffer) {
    this.#context = newContext()
    if (this.#context === 0) throw opensslError('HMAC_CTX_new')
    const copy = Memory.of(key)
    const done = initialise(this.#context, copy.at(0, key.length), key.length, sha1(), 0)
    copy.bytes.fill(0)
    if (done !== 1) {
      this.close()
      throw opensslError('HMAC_Init_ex')
    }
  }

  /** Fills {@link digest}. @param address from {@link Memory.at} */
  compute(address: number, length: number): void {
    if (this.#context === 0) throw new Error('the HMAC is closed')
    const done =
      initialise(this.#context, 0, 0, 0, 0) === 1 &&
      update(this.#context, address, length) === 1 &&
      final(this.#context, this.digest.at(0, DIGEST_BYTES), 0) === 1
    if (!done) throw opensslError('HMAC')
  }

  /** Idempotent. */
  close(): void {
    if (this.#context !== 0) freeContext(this.#context)
    this.#context = 0
  }
}
