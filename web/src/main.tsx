import './page.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { credentialsInFragment } from './sign-in/credentials.ts'

// Before anything else looks at the address bar, so that the token is neither shown nor kept in the history.
const offered = credentialsInFragment(window.location.hash)
if (offered) window.history.replaceState(null, '', window.location.pathname)

const root = document.getElementById('root')
if (!root) throw new Error('The page has no root element.')
createRoot(root).render(
  <StrictMode>
    <App offered={offered} />
  </StrictMode>,
)
