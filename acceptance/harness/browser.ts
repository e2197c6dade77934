import { access, chmod, constants, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type Browser, chromium } from 'playwright-core'
import type { Persona } from './colours.ts'
import { makeFakeDevices } from './fake-devices.ts'

const CANDIDATES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
const devicesDir = path.join(tmpdir(), 'parley-fake-devices')

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--autoplay-policy=no-user-gesture-required',
  '--use-fake-device-for-media-stream',
  '--use-fake-ui-for-media-stream',
  // The page's files come from the test itself, so the browser cannot tell that page and server are both local.
  '--disable-features=LocalNetworkAccessChecks,LocalNetworkAccessChecksWebRTC,LocalNetworkAccessChecksWebSockets',
]

async function findChromium(): Promise<string> {
  for (const directory of (process.env.PATH ?? '').split(path.delimiter)) {
    for (const name of CANDIDATES) {
      const file = path.join(directory, name)
      const usable = await access(file, constants.X_OK).then(
        () => true,
        () => false,
      )
      if (usable) return file
    }
  }
  throw new Error(`none of ${CANDIDATES.join(', ')} is installed`)
}

async function chromiumInside(namespace: string): Promise<string> {
  const wrapper = path.join(tmpdir(), `parley-chromium-in-${namespace}.sh`)
  const inner = await findChromium()
  await writeFile(wrapper, `#!/bin/sh\nexec ip netns exec ${namespace} ${inner} "$@"\n`)
  await chmod(wrapper, 0o755)
  return wrapper
}

/** How a browser differs from the usual one. */
export interface BrowserOptions {
  /** A network namespace to run in. */
  namespace?: string
  /** Of the camera's picture, pixels; 360 where nothing is said. */
  cameraHeight?: number
}

/**
 * Starts a browser whose camera and microphone are the persona's files. Fake devices belong to the whole browser
 * process, hence one process to a participant.
 */
export async function launchBrowser(
  persona: Persona,
  { namespace, cameraHeight }: BrowserOptions = {},
): Promise<Browser> {
  const { cameraFile, microphoneFile } = await makeFakeDevices(persona, devicesDir, cameraHeight)
  return chromium.launch({
    executablePath: namespace === undefined ? await findChromium() : await chromiumInside(namespace),
    headless: true,
    args: [
      ...FLAGS,
      `--use-file-for-fake-video-capture=${cameraFile}`,
      `--use-file-for-fake-audio-capture=${microphoneFile}`,
    ],
  })
}
