import { createHash, type X509Certificate } from 'node:crypto'
import { bears } from '../../tls/own-certificates.ts'
import type { OwnAuthority } from '../own-authority.ts'
import type { PlainAnswer } from '../plain-answer.ts'
import { bareHost } from '../reached-at.ts'
import { type Html, html, raw } from './html.ts'
import { LOGO } from './logo.ts'
import { qrCode } from './qr-code.ts'
import { STYLE } from './style.ts'
import { SYSTEMS, systemOf } from './systems.ts'

const styleHash = createHash('sha256').update(STYLE).digest('base64')

/** The page has no script, sends nothing, and loads nothing. */
const POLICY = `default-src 'none'; style-src 'sha256-${styleHash}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

/** What the page shows. */
export interface TrustPageFacts {
  authority: OwnAuthority
  /** Path from which the authority is downloaded. */
  authorityPath: string
  /** Where HTTPS is, as this visitor reaches it. */
  httpsUrl: string
  /** Where phones reach this page; null when they do not. */
  phoneUrl: string | null
  /** What HTTPS serves. */
  certificate: X509Certificate
  /** The visitor's `User-Agent`. */
  userAgent: string
}

/** The page that says why browsers warn of the server's own certificate, and how to end that on each system. */
export function trustPage(facts: TrustPageFacts): PlainAnswer {
  const headers = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': POLICY }
  return { status: 200, headers, body: document(facts).markup }
}

function document(facts: TrustPageFacts): Html {
  const { httpsUrl, phoneUrl, userAgent } = facts
  const isPhone = /Mobile|Android|iPhone|iPad/.test(userAgent)
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Trust this server · Parley</title>
<link rel="icon" href="data:,">
<style>${raw(STYLE)}</style>
</head>
<body>
<main class="page">
<header>
<p class="brand">${LOGO}Parley</p>
<h1>Let your browser trust this server</h1>
<p class="soft">Your browser warns of this server because it does not know who made its certificate: the server made it itself. What you say and show is encrypted all the same. Tell your device once whom to trust, and the warning is gone for good.</p>
</header>
${nameNote(facts)}
${download(facts)}
${install(facts)}
<section class="card" aria-labelledby="open">
<h2 class="step" id="open"><span class="number" aria-hidden="true">3</span>Open Parley</h2>
<p><a class="button" href="${httpsUrl}">Open ${new URL(httpsUrl).host}</a></p>
<p class="small soft">If it still warns, close the browser and start it again.</p>
</section>
${phoneUrl === null || isPhone ? html`` : phone(phoneUrl)}
</main>
</body>
</html>
`
}

/** The certificate may not be for the name in the address bar. No trust in the authority helps then. */
function nameNote({ httpsUrl, certificate }: TrustPageFacts): Html {
  const name = bareHost(new URL(httpsUrl).hostname)
  if (bears(certificate, name)) return html``
  return html`<p class="note">The certificate of this server is not for the name <b>${name}</b>, so browsers will go on warning at this address. Use another name or address of the server, or ask who runs it to set <code>PARLEY_PUBLIC_URL</code>.</p>`
}

function download({ authority, authorityPath }: TrustPageFacts): Html {
  // Lines break between bytes.
  const bytes = authority.fingerprint
    .split(':')
    .map((byte, index) => html`${index > 0 ? ':' : ''}<wbr>${byte}`)
  return html`<section class="card" aria-labelledby="download">
<h2 class="step" id="download"><span class="number" aria-hidden="true">1</span>Download the certificate</h2>
<p><a class="button" href="${authorityPath}" download>Download ${authorityPath.slice(1)}</a></p>
<div><p class="small soft">It is of “${authority.name}”. Its SHA-256 fingerprint:</p>
<code class="block bytes">${bytes}</code></div>
<p class="small soft">This page came over a connection that is not protected. In a network that you do not control, compare the fingerprint with what the people who run the server tell you; <code>npx parley trust</code> shows it to them. Install it only if you trust them: it could vouch for other sites too.</p>
</section>`
}

function install({ authority, authorityPath, userAgent }: TrustPageFacts): Html {
  const own = systemOf(userAgent)
  const systems = SYSTEMS.map((system) => {
    const steps = system.steps({ name: authority.name, fileName: authorityPath.slice(1) })
    const items = steps.map((step) => html`<li>${step}</li>`)
    return html`<details name="system"${raw(system === own ? ' open' : '')}><summary>${system.name}</summary>${list(system.isChoice === true, items)}</details>`
  })
  return html`<section class="card" aria-labelledby="install">
<h2 class="step" id="install"><span class="number" aria-hidden="true">2</span>Trust it</h2>
<div>${systems}</div>
</section>`
}

const list = (isChoice: boolean, items: readonly Html[]) =>
  isChoice ? html`<ul>${items}</ul>` : html`<ol>${items}</ol>`

function phone(url: string): Html {
  return html`<section class="card" aria-labelledby="phone">
<h2 id="phone">Phones and tablets</h2>
<div class="phone">${qrCode(url, `QR code of ${url}`)}<div><p>Point the camera of the phone at the code. It opens this page there, with the steps for that phone.</p>
<p class="small soft">Or type <code>${url}</code></p></div></div>
</section>`
}
