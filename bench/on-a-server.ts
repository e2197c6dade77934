import { launchBrowser } from '../acceptance/testing/browser.ts'
import type { Persona } from '../acceptance/testing/colours.ts'
import { Participant, type ParticipantOptions } from '../acceptance/testing/participant.ts'
import { Rest } from '../acceptance/testing/rest.ts'
import { ServerProcess } from '../acceptance/testing/server-process.ts'

/** A running browser. */
export type Browser = Awaited<ReturnType<typeof launchBrowser>>

/** A server of its own for one measurement, and browsers that enter it. */
export interface Stage {
  server: ServerProcess
  rest: Rest
  /** Starts a browser with this persona's camera and microphone. */
  launch(persona: Persona): Promise<Browser>
  /** Opens a page in a browser and makes a token for the room; nothing is joined yet. */
  prepare(
    browser: Browser,
    room: string,
    options?: ParticipantOptions,
  ): Promise<{ participant: Participant; token: string }>
}

/**
 * Runs a measurement on a server and browsers of its own, and ends them whatever happens.
 * @param name of the measurement; the server's log is named after it
 * @param env what differs from the server's defaults
 */
export async function onAServer(
  name: string,
  env: Record<string, string>,
  work: (stage: Stage) => Promise<void>,
): Promise<void> {
  const browsers: Browser[] = []
  const server = await ServerProcess.start(`bench-${name}`, env)
  const rest = new Rest(server.access)
  try {
    await work({
      server,
      rest,
      launch: async (persona) => {
        const browser = await launchBrowser(persona)
        browsers.push(browser)
        return browser
      },
      prepare: async (browser, room, options) => ({
        participant: await Participant.open(browser, room, options),
        token: await rest.createRoomToken({ room_name: room }),
      }),
    })
  } finally {
    await Promise.all(browsers.map((browser) => browser.close().catch(() => {})))
    await rest.close()
    await server.stop()
    await server.remove()
  }
}
