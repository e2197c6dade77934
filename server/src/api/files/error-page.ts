import type { FastifyInstance } from 'fastify'
import { publicErrors } from '../../errors/catalogue.ts'
import { ERROR_PAGE } from '../conventions/errors.ts'

const escapeHtml = (text: string) =>
  text
    .replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
    .replace(/`([^`]+)`/g, '<code>$1</code>')

const rows = Object.entries(publicErrors)
  .map(
    ([code, { message }]) =>
      `<dt id="${code}"><a href="#${code}">${code}</a></dt><dd>${escapeHtml(message)}</dd>`,
  )
  .join('\n')

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Error codes</title>
<style>
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 46rem; margin: 0 auto; padding: 2rem 1.25rem 6rem; }
dt { margin-top: 1.25rem; font: 600 .95rem ui-monospace, monospace; scroll-margin-top: 1rem; overflow-wrap: anywhere; }
dt a { color: inherit; text-decoration: none; }
dt a:hover { text-decoration: underline; }
dt:target { background: light-dark(#fff3c4, #4a3f10); box-shadow: 0 0 0 .35rem light-dark(#fff3c4, #4a3f10); }
dd { margin: .15rem 0 0; }
code { font: .92em ui-monospace, monospace; }
</style>
</head>
<body>
<h1>Error codes</h1>
<p>Every answer that is not a success has a body <code>{"errors": [...]}</code> with one entry for each thing that is
wrong: its <code>type</code>, <code>code</code>, <code>message</code>, the <code>attribute</code> at fault, and the
<code>url</code> that led here. These are all codes; which of them an operation answers with stands in the
<a href="/docs">API document</a>.</p>
<dl>
${rows}
</dl>
</body>
</html>
`

/** Serves the page that the `url` of every error points at. */
export function errorPageRoute(app: FastifyInstance): void {
  app.get(ERROR_PAGE, async (_request, reply) =>
    reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'")
      .header('cache-control', 'public, max-age=3600')
      .send(page),
  )
}
