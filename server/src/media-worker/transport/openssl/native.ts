import koffi from 'koffi'

/** What this process exports itself: the OpenSSL inside Node, and the system's C library. */
const program = koffi.load(null)

/**
 * C types of arguments and results. Pointers are numbers, which hold every address of a process exactly (48 bits), so that
 * a call allocates nothing. `str` is a text constant.
 */
type CType = 'int' | 'uint32_t' | 'long' | 'size_t' | 'int64_t' | 'uint64_t' | 'uintptr_t' | 'str' | 'void'

/** A pointer as an argument or a result. 0 is NULL. */
export const POINTER = 'uintptr_t'

/**
 * Binds a C function of this process. Calls are synchronous.
 *
 * Nothing checks what a call does with memory. Every address that is given to it comes from {@link Memory.at} or from a
 * call before, and every result is checked.
 * @throws where the process does not export it
 */
export function bind<F extends (...args: never[]) => unknown>(
  name: string,
  result: CType,
  parameters: readonly CType[],
): F {
  return program.func(name, result, [...parameters]) as unknown as F
}

/** Address of a C function of this process, to be given to another. */
export function addressOfFunction(name: string): number {
  return Number(koffi.address(program.symbol(name)))
}

/** `errno` of the last call. */
export function lastError(): number {
  return koffi.errno()
}

/** Reads an unsigned 64-bit number at an address that OpenSSL has returned. */
export function readUnsigned64(address: number): number {
  return Number(koffi.decode(BigInt(address), 'uint64_t'))
}

/** Bytes that a C structure of these members takes here, with its padding. */
export function sizeOfStruct(members: readonly CType[]): number {
  return koffi.sizeof(koffi.struct(Object.fromEntries(members.map((type, index) => [`m${index}`, type]))))
}
