import { type BrowserOptions, launchBrowser } from '../acceptance/testing/browser.ts'
import type { Persona } from '../acceptance/testing/colours.ts'
import { Participant, type ParticipantOptions } from '../acceptance/testing/participant.ts'
import { Rest } from '../acceptance/testing/rest.ts'
import { ServerProcess } from '../acceptance/testing/server-process.ts'

/** A running browser. */
export type Browser = Awaited<ReturnType<typeof launchBrowser>>

/** A server for one measurement, and browsers that enter it. */
export interface Stage {
  server: ServerProcess
  rest: Rest
  /** Starts a browser with this persona's camera and microphone. */
  launch(persona: Persona, options?: BrowserOptions): Promise<Browser>
  /** Opens a page in a browser and creates a token for the room, with these claims. Nothing is joined yet. */
  prepare(
    browser: Browser,
    room: string,
    options?: ParticipantOptions,
    claims?: Record<string, unknown>,
  ): Promise<{ participant: Participant; token: string }>
}

/** What the tests turn off, because their browsers take the machine. */
const AS_SHIPPED = { PARLEY_OVERLOAD_STEP: 'no-audience' }

/**
 * Runs a measurement with its own server and browsers, and closes them in any case.
 * @param name of the measurement; the server's log is named after it
 * @param env options that differ from the server's defaults
 * @param node the Node that the server runs on, if it is not that of the measurement
 */
export async function onAServer(
  name: string,
  env: Record<string, string>,
  work: (stage: Stage) => Promise<void>,
  node = process.execPath,
): Promise<void> {
  const browsers: Browser[] = []
  const server = await ServerProcess.start(`bench-${name}`, { ...AS_SHIPPED, ...env }, undefined, { node })
  const rest = new Rest(server.access)
  try {
    await work({
      server,
      rest,
      launch: async (persona, options) => {
        const browser = await launchBrowser(persona, { cameraHeight: 360, ...options })
        browsers.push(browser)
        return browser
      },
      prepare: async (browser, room, options, claims) => ({
        participant: await Participant.open(browser, room, options),
        token: await rest.createRoomToken({ room_name: room, ...claims }),
      }),
    })
  } finally {
    await Promise.all(browsers.map((browser) => browser.close().catch(() => {})))
    await rest.close()
    await server.stop()
    await server.remove()
  }
}
