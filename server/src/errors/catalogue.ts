/** Placeholder until the whole catalogue of the specification stands here. */
export type ErrorCode = string
