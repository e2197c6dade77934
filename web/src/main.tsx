import './page.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { watchAddressBar } from './address-bar.ts'
import { App } from './app.tsx'
import { openDevicesWithEffects } from './device-effects/devices-with-effects.ts'
import { onLanguageChange, startLanguage } from './languages/current-language.ts'
import { loadFirstScreen } from './screens-of-links.tsx'

// This must run before any other code reads the address bar: it may contain an API token.
watchAddressBar()
openDevicesWithEffects()

const RETRY_MS = 2_000

void open()

async function open(): Promise<void> {
  const root = document.getElementById('root')
  if (!root) throw new Error('The page has no root element.')
  await textsLoaded()
  await loadFirstScreen()
  const page = createRoot(root)
  // Any part may show texts, so all are drawn anew. What they know stays.
  const draw = () =>
    page.render(
      <StrictMode>
        <App />
      </StrictMode>,
    )
  onLanguageChange(draw)
  draw()
}

/** Without its texts the page has nothing to show: it tries until they are there. */
async function textsLoaded(): Promise<void> {
  for (;;) {
    try {
      return await startLanguage()
    } catch {
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    }
  }
}
