import { expect, test } from 'vitest'
import { calendarFile } from './calendar-file.ts'
import { embedCode } from './embed-text.ts'

const LINK = 'https://meet.example.org/c/town-hall#vpt_0a'
const conference = {
  id: '9d3f2c50-1f6e-4c57-8a53-0c8f1c2b6e11',
  name: 'town-hall',
  display_name: 'Town hall',
  description: null,
  join_from: '2030-01-31T09:30:00Z',
  join_until: '2030-01-31T10:00:00Z',
  created_at: '2029-12-31T00:00:00Z',
  updated_at: '2029-12-31T00:01:00Z',
}

/** The lines of a calendar, unfolded (RFC 5545, section 3.1). */
const linesOf = (file: string) => file.replace(/\r\n[ \t]/g, '').split('\r\n')
/** The value of a property, as a calendar reads it. */
const valueIn = (file: string, name: string) =>
  linesOf(file)
    .find((line) => line.startsWith(`${name}:`) || line.startsWith(`${name};`))
    ?.replace(/^[^:]*:/, '')
    .replace(/\\([\\;,nN])/g, (_, sign: string) => (/n/i.test(sign) ? '\n' : sign))

test('a calendar gets times in UTC, the link, and an id that stays', () => {
  const file = calendarFile(conference, LINK)
  expect(valueIn(file, 'DTSTART')).toBe('20300131T093000Z')
  expect(valueIn(file, 'DTEND')).toBe('20300131T100000Z')
  expect(valueIn(file, 'DTSTAMP')).toBe('20291231T000100Z')
  expect(valueIn(file, 'UID')).toBe(`${conference.id}@meet.example.org`)
  expect(valueIn(file, 'SEQUENCE')).toBe('60')
  expect(valueIn(file, 'URL')).toBe(LINK)
  expect(valueIn(file, 'SUMMARY')).toBe('Town hall')
  expect(file).not.toContain('TZID')
  expect(valueIn(calendarFile({ ...conference, join_until: null }, LINK), 'DTEND')).toBe('20300131T103000Z')
})

test('no title and no description get out of their line', () => {
  const display_name = 'A;B,C\\D\r\nEND:VCALENDAR\u202Etxt "q" </script>\u0000'
  const description = `1\r\nATTACH:http://evil.example\nBEGIN:VALARM\r${'ä🧶'.repeat(200)}`
  const file = calendarFile({ ...conference, display_name, description }, LINK)
  expect(valueIn(file, 'SUMMARY')).toBe('A;B,C\\D END:VCALENDARtxt "q" </script>')
  expect(valueIn(file, 'DESCRIPTION')).toBe(`${description.replace(/\r\n?/g, '\n')}\n\n${LINK}`)
  const names = linesOf(file).map((line) => line.split(/[:;]/, 1)[0])
  expect(names.filter((name) => name === 'BEGIN')).toHaveLength(2)
  expect(names).not.toContain('ATTACH')
  expect(
    Math.max(...file.split('\r\n').map((line) => new TextEncoder().encode(line).length)),
  ).toBeLessThanOrEqual(75)
  expect(file.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
})

test('nothing gets out of an attribute of the code for other sites', () => {
  expect(embedCode('https://meet.example.org', 'vpt_0a').split('\n')).toEqual([
    '<script src="https://meet.example.org/embed.js"></script>',
    '<parley-conference token="vpt_0a">',
    '</parley-conference>',
  ])
  expect(embedCode('https://x', '"><script>alert(1)</script>&')).toContain(
    'token="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;"',
  )
})
