/** A picture in which nothing moves comes this often. Browsers ask for a keyframe after 3 s without any. */
export const USUAL_STILL_INTERVAL_MS = 500
