/** An offer that cannot be understood, or that has nothing in common with us. The message may be shown to the client. */
export class SdpError extends Error {
  override readonly name = 'SdpError'
}
