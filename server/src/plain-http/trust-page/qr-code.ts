import { encode } from 'uqr'
import { type Html, raw } from './html.ts'

/** Width of the white frame that readers need around a code, in modules (ISO/IEC 18004). */
const QUIET_ZONE = 4

/** A QR code as SVG: dark modules on white in both themes, because not every reader takes inverted codes. */
export function qrCode(text: string, label: string): Html {
  const { data, size } = encode(text, { ecc: 'M', border: QUIET_ZONE })
  const dark = data.flatMap((row, y) => runs(row).map(([x, width]) => `M${x} ${y}h${width}v1h-${width}z`))
  const title = label.replaceAll(/[^\w .:/-]/g, '')
  return raw(
    `<svg class="qr" viewBox="0 0 ${size} ${size}" role="img" aria-label="${title}" shape-rendering="crispEdges">` +
      `<rect width="${size}" height="${size}" fill="#fff"/><path d="${dark.join('')}"/></svg>`,
  )
}

/** Where dark modules lie side by side in a row: the first, and how many. */
function runs(row: readonly boolean[]): [x: number, width: number][] {
  const text = row.map((isDark) => (isDark ? '#' : ' ')).join('')
  return [...text.matchAll(/#+/g)].map(({ index, 0: found }) => [index, found.length])
}
