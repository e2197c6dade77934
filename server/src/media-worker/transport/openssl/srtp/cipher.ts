import { opensslError } from '../error-queue.ts'
import { Memory } from '../memory.ts'
import { bind, POINTER } from '../native.ts'

type Initialise = (context: number, cipher: number, engine: number, key: number, iv: number) => number

const newContext = bind<() => number>('EVP_CIPHER_CTX_new', POINTER, [])
const freeContext = bind<(context: number) => void>('EVP_CIPHER_CTX_free', 'void', [POINTER])
const FIVE_POINTERS = [POINTER, POINTER, POINTER, POINTER, POINTER] as const
const initialiseEncryption = bind<Initialise>('EVP_EncryptInit_ex', 'int', FIVE_POINTERS)
const initialiseDecryption = bind<Initialise>('EVP_DecryptInit_ex', 'int', FIVE_POINTERS)
/** Bytes written, or -1: with a provider's cipher the result is the same for every mode. */
const cipherBytes = bind<(context: number, out: number, input: number, length: number) => number>(
  'EVP_Cipher',
  'int',
  [POINTER, POINTER, POINTER, 'uint32_t'],
)
const control = bind<(context: number, command: number, argument: number, pointer: number) => number>(
  'EVP_CIPHER_CTX_ctrl',
  'int',
  [POINTER, 'int', 'int', POINTER],
)

/** EVP_CTRL_AEAD_GET_TAG and EVP_CTRL_AEAD_SET_TAG of `openssl/evp.h`. */
const GET_TAG = 0x10
const SET_TAG = 0x11

export type CipherName = 'EVP_aes_128_gcm' | 'EVP_aes_128_ctr'

/** AES with one key, for one packet after the other. All addresses come from {@link Memory.at}. */
export class Cipher {
  #context: number
  readonly #initialise: Initialise

  constructor(name: CipherName, direction: 'encrypt' | 'decrypt', key: Buffer) {
    // AES-128 reads as many bytes from the address below.
    if (key.length !== 16) throw new RangeError('an AES-128 key has 16 bytes')
    this.#initialise = direction === 'encrypt' ? initialiseEncryption : initialiseDecryption
    this.#context = newContext()
    if (this.#context === 0) throw opensslError('EVP_CIPHER_CTX_new')
    const copy = Memory.of(key)
    const cipher = bind<() => number>(name, POINTER, [])()
    const done = this.#initialise(this.#context, cipher, 0, copy.at(0, 16), 0)
    copy.bytes.fill(0)
    if (done !== 1) {
      this.close()
      throw opensslError(name)
    }
  }

  /** Begins a packet. @param iv 12 bytes for GCM, 16 for CTR */
  begin(iv: number): void {
    if (this.#context === 0) throw new Error('the cipher is closed')
    if (this.#initialise(this.#context, 0, 0, 0, iv) !== 1) throw opensslError('EVP_CipherInit_ex')
  }

  /** Data that are authenticated and not encrypted (GCM). */
  associate(address: number, length: number): void {
    if (cipherBytes(this.#context, 0, address, length) < 0) throw opensslError('EVP_Cipher')
  }

  /** Encrypts or decrypts in place. */
  transform(address: number, length: number): void {
    if (length > 0 && cipherBytes(this.#context, address, address, length) !== length)
      throw opensslError('EVP_Cipher')
  }

  /** Ends a packet (GCM). @returns false where what was decrypted is not authentic; OpenSSL notes no error then */
  finish(): boolean {
    return cipherBytes(this.#context, 0, 0, 0) >= 0
  }

  /** Writes the tag of what was encrypted: 16 bytes. */
  readTag(address: number): void {
    if (control(this.#context, GET_TAG, 16, address) !== 1) throw opensslError('EVP_CIPHER_CTX_ctrl')
  }

  /** The tag that {@link finish} checks: 16 bytes. */
  expectTag(address: number): void {
    if (control(this.#context, SET_TAG, 16, address) !== 1) throw opensslError('EVP_CIPHER_CTX_ctrl')
  }

  /** Idempotent. */
  close(): void {
    if (this.#context !== 0) freeContext(this.#context)
    this.#context = 0
  }
}
