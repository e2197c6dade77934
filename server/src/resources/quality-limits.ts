/** Limits above which people notice a bad connection first, and above which they cannot follow. */
export const QUALITY_LIMITS = {
  /** Share of lost packets, 0 to 1. */
  loss: { fair: 0.02, poor: 0.08 },
  roundTripMs: { fair: 250, poor: 600 },
} as const
