import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Plugin } from 'vite'

const MODULE = 'virtual:blur-assets'
const FOLDER = join(
  dirname(createRequire(import.meta.url).resolve('@twilio/video-processors/package.json')),
  'dist/build',
)

/**
 * What the background blur fetches by these names. All browsers of `build.target` have SIMD, so the files for those
 * without it are left out.
 */
const FILES = [
  'selfie_segmentation_landscape.tflite',
  'tflite-simd-1-0-0.js',
  'tflite-simd-1-0-0.wasm',
  'twilio-gaussian-blur-background-processor-pipeline-worker.js',
]

/**
 * Serves the files of the background blur. The library puts their names after a path, so not the names but their folder
 * changes with the content: what is below `assets` may be cached for ever.
 */
export function blurAssets(): Plugin {
  const files = FILES.map((name) => ({ name, source: readFileSync(join(FOLDER, name)) }))
  const hash = files.reduce((sum, { source }) => sum.update(source), createHash('sha256'))
  const folder = `assets/blur-${hash.digest('base64url').slice(0, 8)}`
  let isBuilt = true
  return {
    name: 'blur-assets',
    configResolved({ command }) {
      isBuilt = command === 'build'
    },
    resolveId: (id) => (id === MODULE ? `\0${MODULE}` : undefined),
    load(id) {
      if (id !== `\0${MODULE}`) return undefined
      return `export const assetsPath = ${JSON.stringify(isBuilt ? `/${folder}/` : `/@fs${FOLDER}/`)}`
    },
    generateBundle() {
      for (const { name, source } of files)
        this.emitFile({ type: 'asset', fileName: `${folder}/${name}`, source })
    },
  }
}
