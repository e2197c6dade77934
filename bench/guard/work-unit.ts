import { createCipheriv, randomBytes } from 'node:crypto'

/** About as long as a media packet. */
const BYTES = 1200
const PACKETS = 400

const key = randomBytes(16)
const packet = randomBytes(BYTES)

/**
 * A fixed piece of work: encrypts packets by AES-GCM. How long it takes tells how fast the machine is at the moment, so
 * that what a server needs can be judged by it.
 * @returns microseconds of CPU time for each packet
 */
export function workUnitUs(): number {
  const before = process.cpuUsage()
  for (let count = 0; count < PACKETS; count++) {
    const cipher = createCipheriv('aes-128-gcm', key, packet.subarray(0, 12))
    cipher.update(packet)
    cipher.final()
  }
  const { user, system } = process.cpuUsage(before)
  return (user + system) / PACKETS
}
