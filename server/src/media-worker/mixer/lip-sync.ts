/**
 * Keeps what a member says and shows together. Its sound waits in a jitter buffer, its picture does not; both mixers tell
 * here how old what they present is, and learn by how much to hold back the earlier one. One per room, shared by both.
 */
export declare class LipSync {
  /** Sound captured at `capturedAtMs` enters the mix of `presentedAtMs` (both on the process's clock). */
  audioPresented(memberId: string, capturedAtMs: number, presentedAtMs: number): void
  /** A picture captured at `capturedAtMs` is ready to be shown from `readyAtMs` on. */
  pictureReady(memberId: string, capturedAtMs: number, readyAtMs: number): void
  removeMember(memberId: string): void
}
