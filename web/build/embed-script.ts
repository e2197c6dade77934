import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build, type Plugin } from 'vite'

const ENTRY = fileURLToPath(new URL('../../embed/src/script.ts', import.meta.url))
/** Every page that embeds a conference loads it. In bytes, compressed. */
const MOST_BYTES = 5000

/** Builds the script that other sites load (docs/embedding.md), as one classic script beside the pages. */
export function embedScript(): Plugin {
  return {
    name: 'embed-script',
    apply: 'build',
    async generateBundle() {
      const source = await built()
      const bytes = gzipSync(source, { level: 9 }).length
      if (bytes >= MOST_BYTES)
        this.error(`embed.js has ${bytes} bytes compressed: at most ${MOST_BYTES} are allowed.`)
      this.emitFile({ type: 'asset', fileName: 'embed.js', source })
    },
  }
}

async function built(): Promise<string> {
  const result = await build({
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    build: {
      write: false,
      target: 'es2022',
      lib: { entry: ENTRY, formats: ['iife'], name: 'parleyEmbed', fileName: () => 'embed.js' },
    },
  })
  const [output] = Array.isArray(result) ? result : [result]
  const chunk = output && 'output' in output ? output.output[0] : undefined
  if (!chunk) throw new Error('The build of embed.js gave nothing.')
  return chunk.code
}
