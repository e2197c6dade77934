const SEQUENCE_NUMBERS = 0x10000

/**
 * The index of a packet: its sequence number with the rollover counter before it (RFC 3711, section 3.3.1). Of all indexes
 * with this sequence number, it is the nearest to the highest one so far.
 * @param highest the highest index so far, or -1
 * @returns a negative number where the packet would be from before the first one
 */
export function packetIndex(sequence: number, highest: number): number {
  if (highest < 0) return sequence
  let distance = sequence - (highest % SEQUENCE_NUMBERS)
  if (distance > SEQUENCE_NUMBERS / 2) distance -= SEQUENCE_NUMBERS
  else if (distance < -SEQUENCE_NUMBERS / 2) distance += SEQUENCE_NUMBERS
  return highest + distance
}

/** How often the sequence number has begun anew before this packet. */
export function rolloverCounterOf(index: number): number {
  return Math.floor(index / SEQUENCE_NUMBERS)
}
