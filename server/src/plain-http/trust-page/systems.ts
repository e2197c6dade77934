import { type Html, html } from './html.ts'

/** How to trust an authority on one system. */
interface System {
  name: string
  /** Whether a browser that sends this `User-Agent` runs on it. */
  isOf: RegExp
  /** Its steps are ways to choose from, not one after the other. */
  isChoice?: boolean
  steps(authority: { name: string; fileName: string }): readonly Html[]
}

/** The systems, in the order of the page. The first whose `isOf` fits is opened. */
export const SYSTEMS: readonly System[] = [
  {
    name: 'iPhone and iPad',
    isOf: /iPhone|iPad|iPod/,
    steps: ({ name }) => [
      html`Download the certificate with Safari, and choose <b>Allow</b>.`,
      html`Open <b>Settings</b>, tap <b>Profile Downloaded</b> (or <b>General</b>, <b>VPN &amp; Device Management</b>), choose ${name}, and tap <b>Install</b>.`,
      html`In <b>Settings</b>, <b>General</b>, <b>About</b>, <b>Certificate Trust Settings</b>, switch ${name} on. Without this step the warning stays.`,
    ],
  },
  {
    name: 'Android',
    isOf: /Android/,
    steps: ({ fileName }) => [
      html`Download the certificate. If Android opens it, close that: certificates of authorities are installed by the settings.`,
      html`Open <b>Settings</b> and search for <b>CA certificate</b>. It is below <b>Security</b>, <b>Encryption &amp; credentials</b>, <b>Install a certificate</b>.`,
      html`Choose <b>Install anyway</b>, and pick <code>${fileName}</code> among the downloads.`,
      html`Chrome is ready now. In Firefox, tap the logo in <b>Settings</b>, <b>About Firefox</b> five times, go back, and switch on <b>Secret Settings</b>, <b>Use third party CA certificates</b>.`,
    ],
  },
  {
    name: 'Windows',
    isOf: /Windows/,
    steps: ({ fileName }) => [
      html`Open <code>${fileName}</code> from the downloads, and choose <b>Install Certificate</b>.`,
      html`Choose <b>Current User</b>, then <b>Place all certificates in the following store</b>, <b>Browse</b>, <b>Trusted Root Certification Authorities</b>.`,
      html`Confirm with <b>Yes</b>, and start the browser again. Chrome, Edge and Firefox are ready.`,
    ],
  },
  {
    name: 'macOS',
    isOf: /Macintosh/,
    steps: ({ name, fileName }) => [
      html`Open <code>${fileName}</code> from the downloads, and add it to the keychain <b>login</b>.`,
      html`In <b>Keychain Access</b>, open ${name}, unfold <b>Trust</b>, and choose <b>Always Trust</b>.`,
      html`Start the browser again. Safari, Chrome, Edge and Firefox are ready.`,
    ],
  },
  {
    name: 'Linux and ChromeOS',
    isOf: /Linux|CrOS/,
    isChoice: true,
    steps: ({ name, fileName }) => [
      html`In Chrome or Chromium, open <code>chrome://certificate-manager</code>, <b>Custom</b>, <b>Installed by you</b>, <b>Trusted certificates</b>, <b>Import</b>, and pick <code>${fileName}</code>.`,
      html`Or by a command, with the package <code>libnss3-tools</code>: <code class="block">certutil -A -d sql:$HOME/.pki/nssdb -t C,, -n "${name}" -i ~/Downloads/${fileName}</code>`,
      html`For curl and other programs (Debian, Ubuntu): <code class="block">sudo cp ~/Downloads/${fileName} /usr/local/share/ca-certificates/ &amp;&amp; sudo update-ca-certificates</code>`,
      html`On the machine of the server itself, <code>npx parley trust</code> does all of it.`,
    ],
  },
  {
    name: 'Firefox, if it still warns',
    isOf: /Firefox/,
    steps: ({ fileName }) => [
      html`Open <b>Settings</b>, <b>Privacy &amp; Security</b>, <b>Certificates</b>, <b>View Certificates</b>, <b>Authorities</b>, <b>Import</b>, and pick <code>${fileName}</code>.`,
      html`Tick <b>Trust this CA to identify websites</b>.`,
    ],
  },
]

/** The system to open first: Firefox on Linux has a store of its own, elsewhere the system's counts. */
export function systemOf(userAgent: string): System | undefined {
  if (/Linux/.test(userAgent) && /Firefox/.test(userAgent) && !/Android/.test(userAgent))
    return SYSTEMS.at(-1)
  return SYSTEMS.find(({ isOf }) => isOf.test(userAgent))
}
