import { rename, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type Browser, chromium } from 'playwright-core'
import type { Persona } from './colours.ts'
import { type MicrophoneSound, makeFakeDevices } from './fake-devices.ts'
import { findProgram } from './programs.ts'

const CHROMIUM = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
/** Chromium without its user interface, which otherwise takes half of the time of each start. */
const HEADLESS = ['chromium-headless-shell', ...CHROMIUM]
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
  // The test itself supplies the page's files, so the browser cannot tell that page and server are both local.
  '--disable-features=LocalNetworkAccessChecks,LocalNetworkAccessChecksWebRTC,LocalNetworkAccessChecksWebSockets',
]

/**
 * At the default niceness the weight of a browser's session is 110. The server's session has 1024 (sched(7), autogroups).
 * Suites that run beside other work set it to 0, or that work would leave their browsers nothing.
 */
const NICENESS = process.env.PARLEY_BROWSER_NICENESS ?? '10'

/**
 * Returns a command that starts Chromium with a lower share of the processor than the server: in production every
 * participant has their own machine. If the system first divides the processor among sessions (sched(7), autogroups),
 * niceness counts only within a session. A browser starts in its own session, so the command lowers the priority of the
 * whole session.
 */
async function browserCommand(program: string, namespace: string | undefined): Promise<string> {
  const file = path.join(devicesDir, `${path.basename(program)}-${namespace ?? 'here'}.sh`)
  const enter = namespace === undefined ? '' : `ip netns exec ${namespace} `
  const lines = [
    '#!/bin/sh',
    `{ echo ${NICENESS} > /proc/$$/autogroup; } 2> /dev/null`,
    `exec nice -n ${NICENESS} ${enter}${program} "$@"`,
  ]
  // Another test file may start a browser with this command at the same moment.
  const part = `${file}.${process.pid}`
  await writeFile(part, `${lines.join('\n')}\n`, { mode: 0o755 })
  await rename(part, file)
  return file
}

/** Options that make a browser differ from the default. */
export interface BrowserOptions {
  /** A network namespace to run in. */
  namespace?: string
  /** Height of the camera's picture in pixels; 180 by default. */
  cameraHeight?: number
  /** What the camera shows, a file of YUV4MPEG2; the persona's colour by default. */
  cameraFile?: string
  /** What the microphone hears; the persona's tone by default. */
  microphone?: MicrophoneSound
  /** A file of what the microphone hears, WAV. */
  microphoneFile?: string
  /** The machine has neither camera nor microphone. */
  withoutDevices?: boolean
  /** Home folder, with the authorities that the browser trusts; that of this process by default. Chromium heeds it only when `whole`. */
  home?: string
  /** Start the whole browser, as people use it. By default it has no user interface. */
  whole?: boolean
}

/**
 * Starts a browser whose camera and microphone are the persona's files. Fake devices belong to the whole browser
 * process, so each participant needs its own process.
 */
export async function launchBrowser(
  persona: Persona,
  {
    namespace,
    cameraHeight,
    cameraFile,
    microphone,
    microphoneFile,
    withoutDevices = false,
    home,
    whole = false,
  }: BrowserOptions = {},
): Promise<Browser> {
  const files = await makeFakeDevices(persona, devicesDir, cameraHeight, microphone)
  const devices = [
    '--use-fake-device-for-media-stream',
    '--use-fake-ui-for-media-stream',
    `--use-file-for-fake-video-capture=${cameraFile ?? files.cameraFile}`,
    `--use-file-for-fake-audio-capture=${microphoneFile ?? files.microphoneFile}`,
  ]
  return chromium.launch({
    executablePath: await browserCommand(await findProgram(whole ? CHROMIUM : HEADLESS), namespace),
    headless: true,
    ...(home !== undefined && { env: { ...process.env, HOME: home } as Record<string, string> }),
    args: withoutDevices ? FLAGS : [...FLAGS, ...devices],
  })
}
