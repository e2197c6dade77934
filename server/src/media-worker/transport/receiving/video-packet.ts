/** One packet of a camera, kept until its frame is whole. Its places are reused. */
export interface VideoPacket {
  /** Extended sequence number, or -1 while the place is empty. */
  extended: number
  buffer: Buffer
  payloadStart: number
  payloadEnd: number
  timestamp: number
  marker: boolean
}
