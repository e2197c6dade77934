import { describe, expect, it } from 'vitest'
import { spaceOfHost } from './space-of-host.ts'

describe('the space of a host', () => {
  it.each([
    ['acme.meet.example.org', 'acme'],
    ['acme.meet.example.org:8443', 'acme'],
    ['ACME.Meet.Example.ORG', 'acme'],
    ['acme.meet.example.org.', 'acme'],
    ['acme.meet.example.org.:443', 'acme'],
    [`${'x'.repeat(63)}.meet.example.org`, 'x'.repeat(63)],
    ['meet.example.org', null],
    ['a.b.meet.example.org', null],
    ['acme.example.org', null],
    ['acme.meet.example.org.evil.net', null],
    ['acmeXmeet.example.org', null],
    ['.meet.example.org', null],
    ['-a.meet.example.org', null],
    [`${'x'.repeat(64)}.meet.example.org`, null],
    ['localhost:8443', null],
    ['127.0.0.1', null],
    ['[::1]:8443', null],
    ['', null],
  ])('%s -> %s', (host, space) => {
    expect(spaceOfHost(host, 'meet.example.org')).toBe(space)
    expect(spaceOfHost(host, null)).toBeNull()
  })
})
