import koffi from 'koffi'

/** Smaller buffers could lie on the JavaScript heap, which moves them. */
const SMALLEST_BYTES = 128

/**
 * Memory that C functions read and write. It keeps its address for as long as this object is referenced: whoever gives the
 * address to C keeps the object.
 */
export class Memory {
  readonly bytes: Buffer
  readonly length: number
  readonly #address: number

  constructor(length: number) {
    this.length = length
    this.bytes = Buffer.from(new ArrayBuffer(Math.max(length, SMALLEST_BYTES)), 0, length)
    this.#address = Number(koffi.address(this.bytes))
  }

  /** A copy of these bytes. */
  static of(bytes: Uint8Array): Memory {
    const memory = new Memory(bytes.length)
    memory.bytes.set(bytes)
    return memory
  }

  /**
   * The address of a part, for a function that touches no more than this part.
   * @throws {RangeError} where the part is not inside this memory
   */
  at(offset: number, length: number): number {
    // Written so that NaN fails.
    if (!(offset >= 0 && length >= 0 && offset + length <= this.length))
      throw new RangeError(`bytes ${offset} to ${offset + length} of ${this.length}`)
    return this.#address + offset
  }

  /** Writes the address of a part of other memory, which the caller keeps referenced, as a C pointer. */
  writePointer(offset: number, address: number): void {
    this.bytes.writeUInt32LE(address % 2 ** 32, offset)
    this.bytes.writeUInt32LE(Math.floor(address / 2 ** 32), offset + 4)
  }
}
