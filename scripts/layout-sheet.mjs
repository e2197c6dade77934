import { LIVE_LAYOUTS } from '../server/src/resources/layout-names.ts'
import { arrange } from '../server/src/rooms/layouts/layouts.ts'

/** @typedef {import('../server/src/resources/layout-names.ts').LayoutName} LayoutName */
/** @typedef {import('../server/src/rooms/layouts/layout-types.ts').LayoutLayer} LayoutLayer */
/** @typedef {import('../server/src/rooms/layouts/layout-types.ts').LayoutMember} LayoutMember */

const MOST_MEMBERS = 12
const COLUMNS = 4

/** Sizes in pixels. */
const PICTURE = { width: 192, height: 108 }
const GAP = 12
const CAPTION = 16

/** @type {Record<LayoutName, string>} */
const SAYS = {
  'grid-responsive': 'The grid with the largest tiles that has a place for everybody, up to 100.',
  'grid-responsive-mobile':
    'The same for viewers in portrait: it gets a further row before it gets a further column.',
  'highlight-1-responsive':
    'One large tile, `reserved-1`, and the others around it. The large tile goes to the member who asked for it, else to a screen share, else to a file that is played, else to the member who speaks: after 1.5 s of speech, and for 3 s at least. It has 76 places at most.',
  '1x1': 'One place over everything.',
  '2x1': 'Two places side by side.',
  '2x2': 'A grid of 4 places.',
  '5up': 'Five places: the corners and the centre.',
  '3x3': 'A grid of 9 places.',
  '4x4': 'A grid of 16 places.',
  '5x5': 'A grid of 25 places.',
  '6x6': 'A grid of 36 places.',
  '8x8': 'A grid of 64 places.',
  '10x10': 'A grid of 100 places.',
  'full-screen': 'One reserved place over everything.',
  'screen-share':
    'The share over everything, four small reserved places in its corners, and four larger ones beneath those. Drawn with a screen share, S. Without one, a file that is played takes its place.',
  'presenter-dual-horizontal':
    'The share left, a reserved place right. Drawn with a screen share, S. Without one, a file that is played takes its place, or else a member.',
  '1up-top-left5': 'A large reserved place and five others.',
  '1up-top-left7': 'A large reserved place and seven others.',
  '1up-top-left9': 'A large reserved place and nine others.',
  '1up-top-left16': 'A large reserved place and sixteen others.',
  '1x1-2x1': 'One place above two others.',
}

/** @param {LayoutName} name */
const drawingOf = (name) => `images/layouts/${name}.svg`

/** The drawings of all layouts, as files below `docs/`. @returns {{ file: string, text: string }[]} */
export function layoutDrawings() {
  return LIVE_LAYOUTS.map((name) => ({ file: `docs/${drawingOf(name)}`, text: sheet(name) }))
}

/** The list of all layouts with their drawings, in Markdown. */
export function layoutList() {
  return LIVE_LAYOUTS.map(
    (name) =>
      `### ${name}\n\n${SAYS[name]}\n\n![${name} with 1 to ${MOST_MEMBERS} members](${drawingOf(name)})`,
  ).join('\n\n')
}

/** One layout with each number of members, as SVG. @param {LayoutName} name */
function sheet(name) {
  const rows = Math.ceil(MOST_MEMBERS / COLUMNS)
  const width = COLUMNS * (PICTURE.width + GAP) + GAP
  const height = rows * (PICTURE.height + CAPTION + GAP) + GAP
  const pictures = Array.from({ length: MOST_MEMBERS }, (_, index) => {
    const x = GAP + (index % COLUMNS) * (PICTURE.width + GAP)
    const y = GAP + Math.floor(index / COLUMNS) * (PICTURE.height + CAPTION + GAP)
    return picture(name, index + 1, x, y)
  })
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="sans-serif" text-anchor="middle">`,
    `<title>${name} with 1 to ${MOST_MEMBERS} members</title>`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    ...pictures,
    '</svg>\n',
  ].join('\n')
}

/** @param {LayoutName} name @param {number} count @param {number} x @param {number} y */
function picture(name, count, x, y) {
  const { layers, offCanvas } = arrange(name, peopleIn(name, count))
  const hidden = offCanvas.length > 0 ? `, ${offCanvas.length} off the canvas` : ''
  return [
    `<g transform="translate(${x} ${y})">`,
    `<rect width="${PICTURE.width}" height="${PICTURE.height}" fill="#14171d"/>`,
    ...(layers.every(isHeld) ? [] : [emptyPlaces(layers.filter((layer) => !isHeld(layer)))]),
    ...layers.filter(isHeld).map(tile),
    `<text x="${PICTURE.width / 2}" y="${PICTURE.height + CAPTION - 3}" font-size="11" fill="#444444">${count}${hidden}</text>`,
    '</g>',
  ].join('\n')
}

/** @param {LayoutName} name @param {number} count @returns {LayoutMember[]} */
function peopleIn(name, count) {
  const members = Array.from({ length: count }, (_, index) => person(`${index + 1}`, 'member'))
  return name === 'screen-share' || name === 'presenter-dual-horizontal'
    ? [...members, person('S', 'screen')]
    : members
}

/** @param {string} id @param {'member' | 'screen'} type @returns {LayoutMember} */
function person(id, type) {
  const nothing = { requestedPosition: 'auto', requestOrder: 0, handRaisedAt: null }
  return { id, type, sendsVideo: true, videoMuted: false, ...nothing }
}

/** A member in its place. @param {LayoutLayer} layer */
function tile({ member_id: holder = '', ...layer }) {
  const { x, y, width, height } = areaOf(layer)
  const size = Math.min(height * 0.5, 28)
  const at = `x="${round(x + width / 2)}" y="${round(y + height / 2 + size * 0.36)}"`
  return [
    `<rect x="${x}" y="${y}" width="${width}" height="${height}" fill="${colourOf(holder)}" stroke="#14171d"/>`,
    `<text ${at} font-size="${round(size)}" fill="#14171d">${holder}</text>`,
  ].join('')
}

/** The outlines of places without a member. @param {readonly LayoutLayer[]} layers */
function emptyPlaces(layers) {
  const outlines = layers
    .map(areaOf)
    .map(({ x, y, width, height }) => `M${x} ${y}h${width}v${height}h${-width}z`)
  return `<path d="${outlines.join('')}" fill="none" stroke="#7b8494" stroke-dasharray="2 2"/>`
}

/** In pixels of the picture. @param {LayoutLayer} layer */
function areaOf({ x, y, width, height }) {
  return {
    x: pixels(x, PICTURE.width),
    y: pixels(y, PICTURE.height),
    width: pixels(width, PICTURE.width),
    height: pixels(height, PICTURE.height),
  }
}

/** @param {LayoutLayer} layer */
const isHeld = (layer) => layer.member_id !== undefined

/** @param {string} holder */
const colourOf = (holder) => (holder === 'S' ? '#f4f5f7' : `hsl(${(Number(holder) * 137) % 360} 55% 68%)`)

/** @param {number} percent @param {number} side */
const pixels = (percent, side) => round((percent * side) / 100)

/** @param {number} value */
const round = (value) => Math.round(value * 10) / 10
