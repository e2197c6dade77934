const MIB = 2 ** 20
const MEASURED_MIB = 64
/** A machine with memory of its own takes 10 to 40 ms. */
const SLOW_MS = 150

/**
 * How many test files with browsers run at a time. They wait more than they work, so that two keep two processors busy. But
 * a virtual machine may get each page of memory from its host only as it is touched, and that can take twenty times as
 * long as usual. Starting processes is then so dear that two files at once take longer than one after the other, and
 * their browsers show a picture or two a second.
 */
export function filesAtOnce(): number {
  const startedAtMs = performance.now()
  Buffer.alloc(MEASURED_MIB * MIB, 1)
  return performance.now() - startedAtMs > SLOW_MS ? 1 : 2
}
