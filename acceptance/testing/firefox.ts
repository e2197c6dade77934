import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import puppeteer, { type Browser, type Page } from 'puppeteer-core'
import type { ParticipantPage, ReportedEvent } from '../page/participant.ts'
import { pageFile } from './browser-page-files.ts'
import { findProgram } from './programs.ts'
import { PublishedClient } from './published-client.ts'

const PROGRAMS = ['firefox-esr', 'firefox']

/** Values of Firefox's setting for what plays by itself: everything, and nothing, not even without sound. */
const AUTOPLAY = { all: 0, none: 5 } as const

async function launchFirefox(
  toneHz: number,
  hidesAddresses: boolean,
  autoplay: keyof typeof AUTOPLAY = 'all',
): Promise<Browser> {
  return puppeteer.launch({
    browser: 'firefox',
    executablePath: await findProgram(PROGRAMS),
    headless: true,
    acceptInsecureCerts: true,
    extraPrefsFirefox: {
      'media.navigator.streams.fake': true,
      'media.navigator.audio.fake_frequency': toneHz,
      'media.navigator.permission.disabled': true,
      'media.autoplay.default': AUTOPLAY[autoplay],
      'media.peerconnection.ice.obfuscate_host_addresses': hidesAddresses,
      // Without this setting, Firefox would look for its H264 plugin on the network.
      'media.gmp-manager.updateEnabled': false,
    },
  })
}

/** Pages in a separate Firefox, with a fake camera and microphone. */
export class FirefoxPages {
  /** Errors inside the pages. */
  readonly complaints: string[] = []
  readonly #browser: Browser

  private constructor(browser: Browser) {
    this.#browser = browser
  }

  /** Starts the browser. @param toneHz of its fake microphone @param autoplay what begins without a click */
  static async open(toneHz: number, autoplay: keyof typeof AUTOPLAY = 'all'): Promise<FirefoxPages> {
    return new FirefoxPages(await launchFirefox(toneHz, true, autoplay))
  }

  async page(): Promise<Page> {
    const page = await this.#browser.newPage()
    page.setDefaultTimeout(15_000)
    page.on('pageerror', (error) => this.complaints.push(String(error)))
    await page.setViewport({ width: 1280, height: 800 })
    return page
  }

  /** Ends the browser. */
  async close(): Promise<void> {
    await this.#browser.close()
  }
}

/** The published client in a separate Firefox, with a fake camera and microphone. */
export class FirefoxParticipant extends PublishedClient {
  readonly #browser: Browser
  readonly #server: Server
  readonly #page: Page

  private constructor(name: string, browser: Browser, server: Server, page: Page) {
    super(name)
    this.#browser = browser
    this.#server = server
    this.#page = page
  }

  /**
   * Starts the browser and opens the participants' page. Nothing is joined yet.
   * @param toneHz of its fake microphone; its fake camera shows a surface that changes its colour all the time
   * @param hidesAddresses whether it offers `.local` names instead of the machine's addresses. A real Firefox shows the
   *   addresses to a page that may use the camera.
   */
  static async open(
    name: string,
    toneHz: number,
    { hidesAddresses }: { hidesAddresses: boolean },
  ): Promise<FirefoxParticipant> {
    // Browsers allow cameras only for pages from a trustworthy origin. localhost is one.
    const server = createServer((request, response) => {
      void pageFile(new URL(request.url ?? '/', 'http://localhost').pathname).then((file) => {
        response.writeHead(file ? 200 : 404, { 'content-type': file?.contentType ?? 'text/plain' })
        response.end(file?.body ?? 'no such file')
      })
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const browser = await launchFirefox(toneHz, hidesAddresses)
    const page = await browser.newPage()
    const participant = new FirefoxParticipant(name, browser, server, page)
    await page.exposeFunction('report', (event: ReportedEvent) => participant.events.add(event))
    await page.goto(
      `http://localhost:${(server.address() as AddressInfo).port}/participant.html?source=devices`,
    )
    await page.waitForFunction(() => 'participant' in window && 'SignalWire' in window)
    return participant
  }

  override ask<K extends keyof ParticipantPage>(
    operation: K,
    ...args: Parameters<ParticipantPage[K]>
  ): Promise<Awaited<ReturnType<ParticipantPage[K]>>> {
    return this.#page.evaluate(
      (name, list) => {
        const target = window.participant as unknown as Record<string, (...rest: unknown[]) => unknown>
        return target[name]?.(...list)
      },
      operation as string,
      args as unknown[],
    ) as Promise<Awaited<ReturnType<ParticipantPage[K]>>>
  }

  /** Ends the browser. */
  async close(): Promise<void> {
    await this.#browser.close()
    this.#server.closeAllConnections()
    this.#server.close()
  }
}
