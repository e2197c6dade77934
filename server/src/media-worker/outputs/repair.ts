/**
 * Makes a recording that was cut off whole again, in place: the incomplete tail is cut, the index written.
 * @returns the true duration and size, or null where nothing of it can be played (the file is then left as it was)
 */
export declare function repairRecording(
  file: string,
): Promise<{ durationMs: number; sizeInBytes: number } | null>
