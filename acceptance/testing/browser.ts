import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type Browser, chromium } from 'playwright-core'
import type { Persona } from './colours.ts'
import { type MicrophoneSound, makeFakeDevices } from './fake-devices.ts'
import { findProgram } from './programs.ts'

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
  // The page's files come from the test itself, so the browser cannot tell that page and server are both local.
  '--disable-features=LocalNetworkAccessChecks,LocalNetworkAccessChecksWebRTC,LocalNetworkAccessChecksWebSockets',
]

/** Of 1024 that the session of the server has, a browser's session has the weight 110 (sched(7), autogroups). */
const NICENESS = 10

/**
 * A command that starts Chromium with less of a claim on the processor than the server has: in truth every participant
 * has a machine of its own. Where the system shares the processor by sessions first (sched(7), autogroups), niceness counts
 * only within one, and a browser is started in a session of its own: so the whole session yields.
 */
async function chromiumCommand(namespace: string | undefined): Promise<string> {
  const file = path.join(devicesDir, `chromium-${namespace ?? 'here'}.sh`)
  const enter = namespace === undefined ? '' : `ip netns exec ${namespace} `
  const lines = [
    '#!/bin/sh',
    `{ echo ${NICENESS} > /proc/$$/autogroup; } 2> /dev/null`,
    `exec nice -n ${NICENESS} ${enter}${await findProgram(CANDIDATES)} "$@"`,
  ]
  await writeFile(file, `${lines.join('\n')}\n`, { mode: 0o755 })
  return file
}

/** How a browser differs from the usual one. */
export interface BrowserOptions {
  /** A network namespace to run in. */
  namespace?: string
  /** Of the camera's picture, pixels; 360 where nothing is said. */
  cameraHeight?: number
  /** What the microphone hears; the persona's tone where nothing is said. */
  microphone?: MicrophoneSound
  /** The machine has neither camera nor microphone. */
  withoutDevices?: boolean
}

/**
 * Starts a browser whose camera and microphone are the persona's files. Fake devices belong to the whole browser
 * process, hence one process to a participant.
 */
export async function launchBrowser(
  persona: Persona,
  { namespace, cameraHeight, microphone, withoutDevices = false }: BrowserOptions = {},
): Promise<Browser> {
  const { cameraFile, microphoneFile } = await makeFakeDevices(persona, devicesDir, cameraHeight, microphone)
  const devices = [
    '--use-fake-device-for-media-stream',
    '--use-fake-ui-for-media-stream',
    `--use-file-for-fake-video-capture=${cameraFile}`,
    `--use-file-for-fake-audio-capture=${microphoneFile}`,
  ]
  return chromium.launch({
    executablePath: await chromiumCommand(namespace),
    headless: true,
    args: withoutDevices ? FLAGS : [...FLAGS, ...devices],
  })
}
