/**
 * How many faults a room may have within {@link FAULT_WINDOW_MS} before it is closed. A mixer that throws at every tick
 * reaches this in 1 to 3 s. The room is frozen meanwhile, and its members join a new one.
 */
export const MOST_ROOM_FAULTS = 50
export const FAULT_WINDOW_MS = 10_000
