import path from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import type { ParticipantPage, ReportedEvent } from '../page/participant.ts'
import type { SourceKind } from '../page/sources.ts'
import { PAGE_ORIGIN, servePageFiles } from './browser-page-files.ts'
import { within } from './eventually.ts'
import { PublishedClient } from './published-client.ts'
import { RESULTS_DIR } from './server-process.ts'

/** A page that cannot leave within this time is closed all the same. */
const LEAVE_TIMEOUT_MS = 1000

/** Options that make a participant's page differ from the default. */
export interface ParticipantOptions {
  source?: SourceKind
  /** Offer no H264. */
  withoutH264?: boolean
  /** Send and receive by a TURN server alone. */
  onlyRelay?: boolean
}

/** The published client in a page of Chromium. */
export class Participant extends PublishedClient {
  readonly page: Page
  readonly #context: BrowserContext
  readonly #console: string[] = []

  private constructor(name: string, context: BrowserContext, page: Page) {
    super(name)
    this.#context = context
    this.page = page
    page.on('console', (message) => this.#console.push(message.text().slice(0, 500)))
    page.on('pageerror', (error) => this.#console.push(`page error: ${error.message}`))
    page.on('crash', () => this.#console.push('the page crashed'))
  }

  /** Opens the participants' page. Nothing is joined yet. */
  static async open(browser: Browser, name: string, options: ParticipantOptions = {}): Promise<Participant> {
    const context = await browser.newContext({
      ignoreHTTPSErrors: true,
      viewport: { width: 400, height: 240 },
      permissions: ['camera', 'microphone'],
    })
    await servePageFiles(context)
    const page = await context.newPage()
    const participant = new Participant(name, context, page)
    await page.exposeBinding('report', (_source, event: ReportedEvent) => participant.events.add(event))
    const url = new URL('/participant.html', PAGE_ORIGIN)
    url.searchParams.set('source', options.source ?? 'devices')
    if (options.withoutH264) url.searchParams.set('h264', 'no')
    if (options.onlyRelay) url.searchParams.set('relay', 'only')
    await page.goto(url.href)
    await page.waitForFunction(() => 'participant' in window && 'SignalWire' in window)
    return participant
  }

  /** Calls one function of the page. */
  ask<K extends keyof ParticipantPage>(
    operation: K,
    ...args: Parameters<ParticipantPage[K]>
  ): Promise<Awaited<ReturnType<ParticipantPage[K]>>> {
    return this.page.evaluate(
      ([name, list]) => {
        const target = window.participant as unknown as Record<string, (...rest: unknown[]) => unknown>
        return target[name]?.(...list)
      },
      [operation as string, args as unknown[]] as const,
    ) as Promise<Awaited<ReturnType<ParticipantPage[K]>>>
  }

  /** Reloads the page, as F5 does. The client's storage stays. */
  async reload(): Promise<void> {
    await this.page.reload()
    await this.page.waitForFunction(() => 'participant' in window && 'SignalWire' in window)
  }

  /**
   * Describes the participant for a failure report: state, events and console. Also saves a screenshot in the results
   * folder.
   */
  async describe(testName: string): Promise<string> {
    const file = path.join(RESULTS_DIR, `${testName}-${this.name}.png`.replaceAll(/[^\w.-]+/g, '_'))
    await within('picture', 1000, this.ask('putPictureOnPage')).catch(() => {})
    const image = await this.page.screenshot({ path: file, timeout: 5000 }).then(
      () => file,
      (error: unknown) => `no screenshot: ${String(error).split('\n')[0]}`,
    )
    const asked = Promise.all([
      this.ask('connectionStates'),
      this.ask('receivedVideo'),
      this.ask('sentVideo'),
      this.ask('pictureSize'),
    ])
    const state = await within('state', 3000, asked).catch((error: unknown) => String(error))
    return [
      `--- ${this.name}: ${image}`,
      JSON.stringify(state),
      this.events.tail(),
      ...this.#console.slice(-10).map((line) => `console: ${line}`),
    ].join('\n')
  }

  /** Leaves if the page is in a room, and closes it. The server would mix an abandoned room for 40 s more. */
  async leaveAndClose(): Promise<void> {
    await within('leave', LEAVE_TIMEOUT_MS, this.leave()).catch(() => {})
    await this.close()
  }

  /** Closes the page without leaving. */
  async close(): Promise<void> {
    await this.#context.close().catch(() => {})
  }
}
