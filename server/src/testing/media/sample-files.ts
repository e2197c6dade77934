import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Colours and tones of {@link makeColourFile}, one after the other. */
export const COLOURS = ['red', 'green', 'blue'] as const
export const TONES = [500, 1000, 2000] as const

export interface ColourFileOptions {
  /** How long each colour and tone lasts. Default 2. */
  seconds?: number
  picture?: boolean
  sound?: boolean
  /** More arguments for ffmpeg, before the file: codecs, container. */
  args?: readonly string[]
}

/** Makes a file whose colour and tone change at the same moments, by ffmpeg. Its name decides the container. */
export async function makeColourFile(file: string, options: ColourFileOptions = {}): Promise<void> {
  const { seconds = 2, picture = true, sound = true, args = [] } = options
  const inputs: string[] = []
  const filters: string[] = []
  const source = (filter: string) => inputs.push('-f', 'lavfi', '-i', filter) / 4 - 1
  const join = (kind: 'v' | 'a', filtersOfParts: readonly string[]) => {
    const parts = filtersOfParts.map((filter) => `[${source(filter)}:${kind}]`).join('')
    const kinds = kind === 'v' ? 'v=1:a=0' : 'v=0:a=1'
    filters.push(`${parts}concat=n=${filtersOfParts.length}:${kinds}[${kind}]`)
  }
  if (picture)
    join(
      'v',
      COLOURS.map((colour) => `color=${colour}:s=160x90:r=30:d=${seconds}`),
    )
  if (sound)
    join(
      'a',
      TONES.map((tone) => `sine=${tone}:r=44100:d=${seconds},volume=4`),
    )
  const maps = [picture && '[v]', sound && '[a]'].flatMap((map) => (map ? ['-map', map] : []))
  const usual = ['-pix_fmt', 'yuv420p', '-g', '30']
  await run('ffmpeg', [
    ...['-v', 'error', '-y', ...inputs, '-filter_complex', filters.join(';'), ...maps],
    ...(picture ? usual : []),
    ...args,
    file,
  ])
}
