/**
 * What the guard lets pass: one and a half times of what is usual or more, so that a cost which has doubled is seen, and
 * another machine or other load on it is not. Lower a bound when what it guards has become cheaper.
 */
export const BOUNDS = {
  /** CPU time of a server with a still room of four, for each second, in units of work. */
  stillUnits: 5000,
  /** CPU time of a recorded room of four, 360p cameras, to that of ffmpeg. */
  roomToFfmpeg: 2.8,
  /** CPU time for each packet to the audience, in units of work. */
  packetUnits: 1.6,
  /** Requests per second for a room, to those of a bare route. At least. */
  getToBareRoute: 0.28,
} as const
