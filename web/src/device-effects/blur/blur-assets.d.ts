/** Written by the build (`web/build/blur-assets.ts`). */
declare module 'virtual:blur-assets' {
  /** The folder of the files that the blur loads by their names. It ends with a slash. */
  export const assetsPath: string
}
