/** See prctl(2). */
const PR_SET_THP_DISABLE = 41

/**
 * Refuses pages of 2 MiB for this process and its threads. libx264 asks for them and rounds each of its pictures up to whole ones:
 * 4 MiB more for an encode of 720p, which is not faster with them. Where it cannot be done (not Linux) nothing else changes.
 */
export async function useSmallPages(): Promise<void> {
  if (process.platform !== 'linux') return
  try {
    const { default: koffi } = await import('koffi')
    const long = 'unsigned long'
    koffi.load(null).func('prctl', 'int', ['int', long, long, long, long])(PR_SET_THP_DISABLE, 1, 0, 0, 0)
  } catch {
    // A few more megabytes.
  }
}
