import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'

/** The page's own statistics for each kind; fields are absent before the first packet. */
export interface BrowserStats {
  received: Record<
    'audio' | 'video',
    {
      packets?: number
      framesDecoded?: number
      codec?: string
      energy?: number
      samples?: number
      /** Samples that the browser concealed, without silent ones. */
      concealedSamples?: number
      /** Total time in seconds that frames or samples have waited in the jitter buffer, and their number. */
      bufferedSeconds?: number
      unbuffered?: number
    }
  >
  sent: Record<'audio' | 'video', { targetBitrateBps?: number; codec?: string }>
}

/** A real Chromium as the other end of a transport. It has a fake camera and microphone, or may use neither. */
export class BrowserLeg {
  readonly #browser: Browser
  readonly #server: Server
  readonly #page: Page

  readonly #watches: boolean

  private constructor(browser: Browser, server: Server, page: Page, watches: boolean) {
    this.#browser = browser
    this.#server = server
    this.#page = page
    this.#watches = watches
  }

  /**
   * @param answer returns the answer to an offer of the page
   * @param watches whether the page only receives. It may use no camera then, and so it hides its addresses.
   */
  static async open(answer: (offer: string) => Promise<string>, watches = false): Promise<BrowserLeg> {
    // Browsers allow cameras only for pages from a trustworthy origin.
    const html = readFileSync(path.join(import.meta.dirname, 'leg.html'))
    const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end(html))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const browser = await chromium.launch({
      executablePath: '/usr/bin/chromium',
      args: [
        '--headless=new',
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--disable-background-networking',
        '--disable-component-update',
        ...(watches ? [] : ['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream']),
        '--autoplay-policy=no-user-gesture-required',
      ],
    })
    const page = await browser.newPage()
    await page.exposeFunction('answerOffer', answer)
    const leg = new BrowserLeg(browser, server, page, watches)
    await leg.load()
    return leg
  }

  /** Reloads the page. Its connection is not negotiated yet. */
  async load(): Promise<void> {
    const { port } = this.#server.address() as AddressInfo
    await this.#page.goto(`http://localhost:${port}/`)
    await this.#page.evaluate(`connect({ watches: ${this.#watches} })`)
  }

  /** Offers, waits for the answer and applies it. Returns the two descriptions. */
  negotiate(
    options: { iceRestart?: boolean; receiveOnly?: boolean } = {},
  ): Promise<{ offer: string; answer: string }> {
    return this.#page.evaluate(`negotiate(${JSON.stringify({ receiveOnly: this.#watches, ...options })})`)
  }

  stats(): Promise<BrowserStats> {
    return this.#page.evaluate('stats()')
  }

  /** Closes the connection as a page does when the person leaves it. */
  async leave(): Promise<void> {
    await this.#page.evaluate('connection.close()')
  }

  async close(): Promise<void> {
    await this.#browser.close()
    this.#server.close()
  }
}
