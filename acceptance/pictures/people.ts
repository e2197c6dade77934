import { createAvatar } from '@dicebear/core'
import * as openPeeps from '@dicebear/open-peeps'

type Looks = openPeeps.Options

/** Rooms that people sit in, drawn on 960x540. */
const ROOMS = {
  study: `<rect width="960" height="540" fill="#e9dfd0"/>${bookshelf()}
    <rect x="660" y="70" width="230" height="250" rx="6" fill="#fff"/>
    <path d="M672 82h98v106h-98zM780 82h98v106h-98zM672 198h98v110h-98zM780 198h98v110h-98z" fill="#bfe0f2"/>`,
  office: `<rect width="960" height="540" fill="#cfdce6"/><rect y="420" width="960" height="120" fill="#b3c2cf"/>
    <rect x="90" y="80" width="250" height="180" rx="6" fill="#f7fafc"/>
    <path d="M110 230l50-60 40 30 60-90 60 50" fill="none" stroke="#2a6f97" stroke-width="8"/>
    <rect x="760" y="360" width="90" height="110" rx="8" fill="#c96f4a"/>
    <path d="M805 370C740 330 730 250 745 200c40 40 55 90 60 170zM805 370c70-30 95-100 85-160-45 30-75 90-85 160zM805 370c-5-90 10-150 20-190 25 60 10 130-20 190z" fill="#4f7f56"/>`,
  lounge: `<rect width="960" height="540" fill="#3d5a6c"/><rect y="380" width="960" height="160" fill="#2f4858"/>
    <circle cx="760" cy="150" r="70" fill="#f4d58d"/><rect x="753" width="14" height="90" fill="#22333d"/>
    <rect x="80" y="330" width="320" height="150" rx="40" fill="#d98b5f"/>
    <rect x="60" y="390" width="360" height="110" rx="36" fill="#c97b51"/>
    <rect x="120" y="90" width="140" height="180" fill="#f1ede4"/>
    <path d="M120 270l60-90 40 50 40-70v110z" fill="#7a9e7e"/>`,
  garden: `<rect width="960" height="540" fill="#d7e8d3"/><rect x="80" y="40" width="800" height="440" fill="#f8fbf6"/>
    <path d="M100 60h370v400H100zM490 60h370v400H490z" fill="#b9dcc1"/>
    <g fill="#6a994e"><circle cx="160" cy="400" r="90"/><circle cx="300" cy="420" r="70"/><circle cx="760" cy="390" r="100"/>
    <circle cx="620" cy="430" r="70"/></g>
    <g fill="#386641"><circle cx="230" cy="440" r="60"/><circle cx="850" cy="440" r="60"/></g>`,
  blinds: `<rect width="960" height="540" fill="#f4f1ea"/>
    <g fill="#26323a">${Array.from({ length: 30 }, (_, slat) => `<rect x="${slat * 32}" width="16" height="540"/>`).join('')}</g>`,
} as const

function bookshelf(): string {
  const spines = ['#c8553d', '#2a6f97', '#e9c46a', '#588157', '#f1ede4', '#6d597a']
  const shelves = [76, 208, 340].map((top, shelf) => {
    const books = Array.from({ length: 9 }, (_, book) => {
      const lower = (book * 37) % 23
      const colour = spines[(book + shelf * 2) % spines.length]
      return `<rect x="${62 + book * 29}" y="${top + 20 + lower}" width="22" height="${98 - lower}" fill="${colour}"/>`
    })
    return `<rect x="54" y="${top}" width="272" height="118" fill="#6f4c33"/>${books.join('')}`
  })
  return `<rect x="40" y="60" width="300" height="420" rx="6" fill="#8a6244"/>${shelves.join('')}`
}

/** Somebody in the pictures of the documents: drawn, so that nobody's face is needed. */
export interface Portrayed {
  name: string
  /** What the camera shows, as SVG of 960x540. */
  scene: string
}

function portray(name: string, room: keyof typeof ROOMS, looks: Looks, turned = false): Portrayed {
  const usual = { accessoriesProbability: 0, facialHairProbability: 0, maskProbability: 0 }
  const person = createAvatar(openPeeps, { ...usual, ...looks })
    .toString()
    .replace('<svg ', '<svg x="230" y="40" width="500" height="500" ')
  // What is behind a person is out of focus, but the blinds, on which a blur is to be seen.
  const focus = room === 'blinds' ? '' : 'filter="url(#far)"'
  const scene = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 960 540" width="960" height="540">
    <filter id="far"><feGaussianBlur stdDeviation="5"/></filter>
    <radialGradient id="light" cx=".5" cy=".35" r=".8"><stop offset=".5" stop-color="#fff" stop-opacity=".12"/>
    <stop offset="1" stop-color="#000" stop-opacity=".28"/></radialGradient>
    <g ${focus}>${ROOMS[room]}</g>
    <g ${turned ? 'transform="translate(960) scale(-1 1)"' : ''}>${person}</g>
    <rect width="960" height="540" fill="url(#light)"/></svg>`
  return { name, scene }
}

/** The people of the pictures. */
export const ADA = portray('Ada Moreno', 'study', {
  head: ['bun'],
  face: ['smile'],
  skinColor: ['ffdbb4'],
  clothingColor: ['8fa7df'],
  headContrastColor: ['8fa7df'],
})
export const PAUL = portray(
  'Paul Becker',
  'office',
  {
    head: ['grayShort'],
    face: ['cute'],
    accessories: ['glasses2'],
    accessoriesProbability: 100,
    skinColor: ['edb98a'],
    clothingColor: ['9ddadb'],
    headContrastColor: ['c9c4bc'],
  },
  true,
)
export const NAOMI = portray('Naomi Clark', 'lounge', {
  head: ['medium2'],
  face: ['explaining'],
  skinColor: ['ae5d29'],
  clothingColor: ['fdea6b'],
})
export const ARJUN = portray('Arjun Singh', 'garden', {
  head: ['turban'],
  face: ['calm'],
  facialHair: ['full'],
  facialHairProbability: 100,
  skinColor: ['d08b5b'],
  clothingColor: ['e78276'],
  headContrastColor: ['e78276'],
})
export const YUKI = portray(
  'Yuki Tanaka',
  'study',
  { head: ['mediumBangs'], face: ['cute'], skinColor: ['ffdbb4'], clothingColor: ['ffcf77'] },
  true,
)
export const LUCAS = portray('Lucas Martin', 'office', {
  head: ['short4'],
  face: ['driven'],
  skinColor: ['edb98a'],
  clothingColor: ['78e185'],
  headContrastColor: ['b58143'],
})

/** Sits before blinds, whose edges are sharp. */
export const MAYA = portray('Maya Lund', 'blinds', {
  head: ['medium1'],
  face: ['smile'],
  skinColor: ['edb98a'],
  clothingColor: ['c8553d'],
  headContrastColor: ['6f4c33'],
})
