import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { compressedCopies } from './build/compressed-copies.ts'

const require = createRequire(import.meta.url)

/**
 * The client and its WebRTC layer each bring their own copy of one core package. One copy is enough, and both halves
 * then share its logger and its registry.
 */
const clientCore = dirname(
  require.resolve('@signalwire/core/package.json', { paths: [dirname(require.resolve('@signalwire/js'))] }),
)

export default defineConfig({
  plugins: [react(), tailwindcss(), compressedCopies()],
  resolve: { alias: { '@signalwire/core': clientCore } },
  build: {
    // Browsers with `light-dark()`, on which the tokens stand.
    target: ['chrome123', 'edge123', 'firefox128', 'safari17.5'],
    // Nothing is inlined, so that a content security policy needs no `data:` for fonts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: {
    // `npx vite` beside a running server: the page reloads as it is edited, the API stays real.
    proxy: { '/api': { target: process.env.PARLEY_URL ?? 'https://localhost:8443', secure: false } },
  },
})
