import './page.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { watchAddressBar } from './address-bar.ts'
import { App } from './app.tsx'

// This must run before any other code reads the address bar: it may contain an API token.
watchAddressBar()

const root = document.getElementById('root')
if (!root) throw new Error('The page has no root element.')
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
