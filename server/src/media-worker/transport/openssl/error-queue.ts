import { Memory } from './memory.ts'
import { bind, POINTER } from './native.ts'

const getError = bind<() => number>('ERR_get_error', 'uint64_t', [])
const clearError = bind<() => void>('ERR_clear_error', 'void', [])
const describe = bind<(code: number, text: number, length: number) => void>('ERR_error_string_n', 'void', [
  'uint64_t',
  POINTER,
  'size_t',
])

const TEXT_BYTES = 256
const text = new Memory(TEXT_BYTES)

/** Empties OpenSSL's error queue. Node's own TLS on this thread shares it and would read our errors as its own. */
export function clearErrors(): void {
  clearError()
}

/** Says what the oldest error was, and empties the queue. */
export function takeError(): string {
  const code = getError()
  if (code === 0) return 'unknown error'
  describe(code, text.at(0, TEXT_BYTES), TEXT_BYTES)
  clearError()
  return text.bytes.toString('latin1', 0, text.bytes.indexOf(0))
}

/**
 * A call of OpenSSL failed for a reason that is no fault of a peer.
 * @param call name of the function
 */
export function opensslError(call: string): Error {
  return new Error(`${call}: ${takeError()}`)
}
