import fc from 'fast-check'
import { expect, test } from 'vitest'
import { textParts } from './links.ts'

const links = (text: string) =>
  textParts(text).flatMap(({ text: shown, href }) => (href === null ? [] : [shown]))

test.each([
  ['See https://example.org/a?b=c#d.', ['https://example.org/a?b=c#d']],
  [
    '(https://example.org/wiki/A_(b)) and http://x.example, too!',
    ['https://example.org/wiki/A_(b)', 'http://x.example'],
  ],
  ['HTTPS://EXAMPLE.ORG', ['HTTPS://EXAMPLE.ORG']],
  ['“https://example.org/é”', ['https://example.org/é']],
  ['javascript:alert(1) data:text/html,x file:///etc/passwd ftp://x.example', []],
  ['https:// http://', []],
  ['xhttps://example.org', []],
])('finds the links of %j', (text, found) => {
  expect(links(text)).toEqual(found)
})

test('keeps the text as it is, and leads nowhere but to the web', () => {
  const piece = fc.oneof(
    fc.string({ maxLength: 9 }),
    fc.constantFrom('http://', 'https://a.b', ')', '(', ' ', 'javascript:'),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 9 }), (pieces) => {
      const parts = textParts(pieces.join(''))
      expect(parts.map(({ text }) => text).join('')).toBe(pieces.join(''))
      for (const { href } of parts) if (href !== null) expect(href).toMatch(/^https?:\/\//)
    }),
  )
})

test.each([
  ['!'.repeat(20_000)],
  [')'.repeat(20_000)],
  ['!x'.repeat(10_000)],
  ['http://'.repeat(3000)],
  ['http://a '.repeat(2000)],
])('needs no long for a hostile text (%#)', (end) => {
  const startedAt = performance.now()
  textParts(`https://example.org/${end}`)
  expect(performance.now() - startedAt).toBeLessThan(500)
})
