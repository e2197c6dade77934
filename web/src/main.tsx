import './page.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { watchAddressBar } from './address-bar.ts'
import { App } from './app.tsx'

// Before anything else looks at the address bar: it may hold an API token.
watchAddressBar()

const root = document.getElementById('root')
if (!root) throw new Error('The page has no root element.')
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
