import { readFile } from 'node:fs/promises'
import { createRequire, stripTypeScriptTypes } from 'node:module'
import path from 'node:path'
import type { BrowserContext } from 'playwright-core'

const acceptanceDir = path.dirname(import.meta.dirname)
const clientFile = path.join(
  path.dirname(createRequire(import.meta.url).resolve('@signalwire/js/package.json')),
  'dist/index.umd.js',
)

/** Origin of the participants' page. No server listens there: the browser gets the files from `servePageFiles`. */
export const PAGE_ORIGIN = 'https://participant.test'

/** A file of the participants' page, or null if the path has none. */
export async function pageFile(pathname: string): Promise<{ contentType: string; body: string } | null> {
  if (pathname === '/participant.html') {
    const body = await readFile(path.join(acceptanceDir, 'page/participant.html'), 'utf8')
    return { contentType: 'text/html', body }
  }
  if (pathname === '/signalwire.js') {
    return { contentType: 'text/javascript', body: await readFile(clientFile, 'utf8') }
  }
  if (/^\/page\/[a-z-]+\.ts$/.test(pathname)) {
    const source = await readFile(path.join(acceptanceDir, pathname), 'utf8')
    return { contentType: 'text/javascript', body: stripTypeScriptTypes(source) }
  }
  return null
}

/**
 * Serves the participants' page to a browser. Like a customer's application it has its own origin and uses the
 * published client from npm. It needs no web server, so it also works inside a network namespace.
 */
export async function servePageFiles(context: BrowserContext): Promise<void> {
  await context.route(`${PAGE_ORIGIN}/**`, async (route) => {
    const file = await pageFile(new URL(route.request().url()).pathname)
    await route.fulfill(file ?? { status: 404, contentType: 'text/plain', body: 'no such file' })
  })
}
