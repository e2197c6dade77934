/** @param seconds Unix time of a request; null means the same as absent */
export const readExpiry = (seconds: number | null | undefined): number | undefined =>
  seconds == null ? undefined : seconds * 1000
