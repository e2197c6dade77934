import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  canonicalPermission,
  DEFAULT_PERMISSIONS,
  grantedPermissions,
  isPermitted,
  missingPermission,
  PERMISSIONS,
  type Permission,
  ROOM_METHOD_NAMES,
  requiredPermission,
} from './permissions.ts'

const anyMethod = fc.constantFrom(...ROOM_METHOD_NAMES)
const anyPermissions = fc.uniqueArray(fc.constantFrom(...PERMISSIONS))
const anyTarget = fc.record({ self: fc.boolean(), withPositions: fc.boolean() })

describe('the vocabulary', () => {
  test('has the published 44 names and the specification’s second name for streams', () => {
    expect(PERMISSIONS).toHaveLength(45)
    expect(new Set(PERMISSIONS).size).toBe(45)
    expect(PERMISSIONS.filter((name) => name.startsWith('room.member.'))).toHaveLength(16)
    expect(PERMISSIONS.filter((name) => name.startsWith('room.self.'))).toHaveLength(15)
  })

  test('gives a member eleven by default, all on itself', () => {
    expect(new Set(DEFAULT_PERMISSIONS).size).toBe(11)
    expect(DEFAULT_PERMISSIONS.every((name) => name.startsWith('room.self.'))).toBe(true)
  })

  test.each([
    ['room.playback.seek', 'room.playback_seek'],
    ['room.stream.start', 'room.stream'],
    ['video.prioritize_handraise', 'room.prioritize_handraise'],
    ['video.playback.seek', 'room.playback_seek'],
    ['video.member.audio_mute', 'room.member.audio_mute'],
    ['room.recording', 'room.recording'],
  ])('reads %s as %s', (name, canonical) => {
    expect(canonicalPermission(name)).toBe(canonical)
  })

  test.each([
    '',
    'room',
    'room.',
    'room.everything',
    'ROOM.LOCK',
    'room.lock ',
    'toString',
    '__proto__',
    'video.',
  ])('does not know %j', (name) => {
    expect(canonicalPermission(name)).toBeNull()
  })

  test('canonical names stay what they are', () => {
    fc.assert(
      fc.property(fc.constantFrom(...PERMISSIONS), (name) => {
        const canonical = canonicalPermission(name)!
        expect(canonicalPermission(canonical)).toBe(canonical)
        expect(canonicalPermission(name.replace(/^room\./, 'video.'))).toBe(canonical)
      }),
    )
  })
})

describe('what a method needs', () => {
  test.each<[string, boolean, Permission]>([
    ['video.member.audio_mute', true, 'room.self.audio_mute'],
    ['video.member.audio_mute', false, 'room.member.audio_mute'],
    ['video.member.video_unmute', false, 'room.member.video_unmute'],
    ['video.member.raisehand', true, 'room.self.raisehand'],
    ['video.member.set_meta', false, 'room.member.set_meta'],
    ['video.member.remove', true, 'room.member.remove'],
    ['video.member.remove', false, 'room.member.remove'],
    ['video.recording.start', false, 'room.recording'],
    ['video.stream.start', false, 'room.stream'],
    ['video.lock', true, 'room.lock'],
  ])('%s (self: %s) needs %s and nothing less', (method, self, permission) => {
    expect(isPermitted(grantedPermissions([permission]), method, { self })).toBe(true)
    const allOthers = PERMISSIONS.filter((name) => canonicalPermission(name) !== permission)
    expect(isPermitted(grantedPermissions(allOthers), method, { self })).toBe(false)
  })

  test.each(['room.playback', 'room.playback_seek', 'room.playback.seek', 'video.playback_seek'])(
    '%s is enough to seek',
    (name) => {
      expect(isPermitted(grantedPermissions([name]), 'video.playback.seek_absolute', { self: false })).toBe(
        true,
      )
    },
  )

  test('a layout with positions needs both permissions, and names the one that lacks', () => {
    const target = { self: false, withPositions: true }
    const requirement = requiredPermission('video.set_layout', target)!
    expect(missingPermission(grantedPermissions(['room.set_layout']), requirement)).toBe('room.set_position')
    expect(missingPermission(grantedPermissions(['room.set_position']), requirement)).toBe('room.set_layout')
    expect(
      isPermitted(grantedPermissions(['room.set_layout', 'room.set_position']), 'video.set_layout', target),
    ).toBe(true)
    expect(isPermitted(grantedPermissions(['room.set_layout']), 'video.set_layout', { self: false })).toBe(
      true,
    )
  })

  test.each(['video.members.get', 'video.get_meta', 'video.member.get_meta'])(
    '%s is open to all',
    (method) => {
      expect(isPermitted(grantedPermissions([]), method, { self: false })).toBe(true)
    },
  )

  test('the default permissions act on oneself only', () => {
    const granted = grantedPermissions(DEFAULT_PERMISSIONS)
    for (const method of ROOM_METHOD_NAMES) {
      const open = requiredPermission(method, { self: false })?.length === 0
      expect([method, isPermitted(granted, method, { self: false })]).toEqual([method, open])
    }
  })

  test.each(['video.nothing', '', 'constructor', 'toString', '__proto__', 'room.lock'])(
    '%j is no method',
    (method) => {
      expect(requiredPermission(method, { self: true })).toBeNull()
      expect(isPermitted(grantedPermissions(PERMISSIONS), method, { self: true })).toBe(false)
    },
  )

  test('an audience may do only what needs no permission', () => {
    fc.assert(
      fc.property(anyPermissions, anyMethod, anyTarget, (names, method, target) => {
        const granted = grantedPermissions(names, 'audience')
        expect(granted.size).toBe(0)
        expect(isPermitted(granted, method, target)).toBe(requiredPermission(method, target)?.length === 0)
      }),
    )
  })

  test('more permissions never take anything away', () => {
    fc.assert(
      fc.property(anyPermissions, anyPermissions, anyMethod, anyTarget, (some, more, method, target) => {
        if (!isPermitted(grantedPermissions(some), method, target)) return
        expect(isPermitted(grantedPermissions([...some, ...more]), method, target)).toBe(true)
      }),
    )
  })

  test('all permissions together allow every method; each is needed by one or is about a leg', () => {
    const all = grantedPermissions(PERMISSIONS)
    const needed = new Set<Permission>(['room.self.screenshare', 'room.self.additional_source'])
    for (const method of ROOM_METHOD_NAMES) {
      for (const self of [true, false]) {
        const target = { self, withPositions: true }
        expect(isPermitted(all, method, target)).toBe(true)
        for (const anyOf of requiredPermission(method, target)!) for (const name of anyOf) needed.add(name)
      }
    }
    expect([...all].filter((name) => !needed.has(name))).toEqual([])
  })

  test('what is missing is exactly what, once given, is no longer missing', () => {
    fc.assert(
      fc.property(anyPermissions, anyMethod, anyTarget, (names, method, target) => {
        const requirement = requiredPermission(method, target)!
        const missing = missingPermission(grantedPermissions(names), requirement)
        if (missing === null) return
        expect(names.map(canonicalPermission)).not.toContain(missing)
        expect(missingPermission(grantedPermissions([...names, missing]), requirement)).not.toBe(missing)
      }),
    )
  })
})
