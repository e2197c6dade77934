import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defaultClientConditions, defineConfig } from 'vite'
import { blurAssets } from './build/blur-assets.ts'
import { compiledTexts } from './build/compiled-texts.ts'
import { compressedCopies } from './build/compressed-copies.ts'
import { embedScript } from './build/embed-script.ts'
import { formFields } from './build/form-fields.ts'

const require = createRequire(import.meta.url)

/**
 * The client and its WebRTC layer each bring their own copy of one core package. One copy is enough, and both halves
 * then share its logger and its registry.
 */
const clientCore = dirname(
  require.resolve('@signalwire/core/package.json', { paths: [dirname(require.resolve('@signalwire/js'))] }),
)

export default defineConfig({
  plugins: [
    compiledTexts(),
    formFields(),
    react(),
    tailwindcss(),
    blurAssets(),
    embedScript(),
    compressedCopies(),
  ],
  resolve: {
    alias: { '@signalwire/core': clientCore },
    // The packages of this repository are built only to be published.
    conditions: ['@parley/source', ...defaultClientConditions],
  },
  build: {
    // Browsers with `light-dark()`, on which the tokens stand.
    target: ['chrome123', 'edge123', 'firefox128', 'safari17.5'],
    // Nothing is inlined, so that a content security policy needs no `data:` for fonts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // What every visitor waits for is one file: it compresses better than the dozen that share code with later parts.
      output: { codeSplitting: { groups: [{ name: 'first', tags: ['$initial'] }] } },
    },
  },
  server: {
    // `npx vite` beside a running server: the page reloads as it is edited, the API stays real.
    proxy: { '/api': { target: process.env.PARLEY_URL ?? 'https://localhost:8443', secure: false } },
  },
})
