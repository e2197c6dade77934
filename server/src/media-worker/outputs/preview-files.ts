/** Where a clip of a preview grows. */
export const draftOf = (file: string): string => `${file}.part`

/** The file that grows, and the newest clip; none for a room without previews. */
export function previewFiles(file: string | null): string[] {
  return file === null ? [] : [draftOf(file), file]
}
