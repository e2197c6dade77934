import { addressBar } from './address-bar.ts'
import { Chunk, useChunk } from './chunk.ts'
import { loadTexts } from './languages/current-language.ts'
import { parseRoute } from './routes.ts'

const conference = new Chunk(async () => (await import('./conference/conference-page.tsx')).ConferencePage)

const embed = new Chunk(async () => {
  const [{ EmbedPage }] = await Promise.all([
    import('./embed/embed-page.tsx'),
    loadTexts('embed', 'errors', 'meeting'),
  ])
  return EmbedPage
})

const nothing = new Chunk(async () => {
  const [{ NothingHere }] = await Promise.all([import('./nothing-here.tsx'), loadTexts('host')])
  return NothingHere
})

const watch = new Chunk(async () => {
  const [{ WatchPage }] = await Promise.all([import('./watch/watch-page.tsx'), loadTexts('watch')])
  return WatchPage
})

/** The screens that links of conferences, and pages of others, lead to. */
const SCREENS = { conference, embed, nothing, watch }

export function ConferenceScreen({ name }: { name: string }) {
  const ConferencePage = useChunk(conference)
  return <ConferencePage name={name} />
}

export function EmbedScreen() {
  const EmbedPage = useChunk(embed)
  return <EmbedPage />
}

export function NothingScreen() {
  const NothingHere = useChunk(nothing)
  return <NothingHere />
}

export function WatchScreen({ link }: { link: string }) {
  const WatchPage = useChunk(watch)
  return <WatchPage link={link} />
}

/** Loads the screen of the address, so that it is the first that is drawn. Never rejects. */
export async function loadFirstScreen(): Promise<void> {
  const { path, fragment } = addressBar()
  const { screen } = parseRoute(path, fragment)
  if (!isLinked(screen)) return
  // A failure is told when the screen is drawn.
  await SCREENS[screen].load().catch(() => {})
}

const isLinked = (screen: string): screen is keyof typeof SCREENS => Object.hasOwn(SCREENS, screen)
