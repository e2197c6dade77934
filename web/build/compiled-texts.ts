import { readFileSync } from 'node:fs'
import { compileMessageOrThrow } from '@lingui/message-utils/compileMessage'
import type { Plugin } from 'vite'

const CATALOG = /\/src\/languages\/[^/]+\/[^/]+\.json$/

/** Compiles the texts of all languages at build, so that the page need not carry a parser for them. */
export function compiledTexts(): Plugin {
  return {
    name: 'compiled-texts',
    enforce: 'pre',
    load(id) {
      if (!CATALOG.test(id)) return null
      const texts = JSON.parse(readFileSync(id, 'utf8')) as Record<string, string>
      const compiled = Object.entries(texts).map(([key, text]) => [key, compileMessageOrThrow(text)])
      return JSON.stringify(Object.fromEntries(compiled))
    },
  }
}
