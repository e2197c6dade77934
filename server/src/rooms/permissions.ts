import { Refusal } from '../errors/refusal.ts'
import { DEFAULT_PERMISSIONS, PERMISSIONS, type Permission } from '../resources/permission-names.ts'

/**
 * The permissions of room tokens, and which of them each method of the client protocol needs. Pure functions, no
 * state. Sources: the published list of room token permissions, and docs/protocol.md, section 5.
 */

export { DEFAULT_PERMISSIONS, PERMISSIONS, type Permission } from '../resources/permission-names.ts'

/** Alternative names of a permission. They exist because different pages of the documentation use different names. */
const ALIASES: ReadonlyMap<string, Permission> = new Map([
  ['room.stream.start', 'room.stream'],
  ['room.playback.seek', 'room.playback_seek'],
])

const KNOWN: ReadonlySet<string> = new Set(PERMISSIONS)

/**
 * Converts a permission to the name that is used for comparison: `video.X` becomes `room.X`, and `room.stream.start`
 * becomes `room.stream`.
 * @returns null if it is not a permission
 */
export function canonicalPermission(name: string): Permission | null {
  const roomName = name.startsWith('video.') ? `room.${name.slice('video.'.length)}` : name
  const alias = ALIASES.get(roomName)
  if (alias) return alias
  return KNOWN.has(roomName) ? (roomName as Permission) : null
}

/** Canonical permissions of one member. Created once by {@link grantedPermissions} and read at every request. */
export type GrantedPermissions = ReadonlySet<Permission>

/**
 * Converts a list of names to permissions. Unknown names are left out. Audience gets no permissions, whatever the
 * list says.
 */
export function grantedPermissions(
  names: readonly string[],
  joinAs: 'member' | 'audience' = 'member',
): GrantedPermissions {
  const granted = new Set<Permission>()
  if (joinAs === 'audience') return granted
  for (const name of names) {
    const permission = canonicalPermission(name)
    if (permission) granted.add(permission)
  }
  return granted
}

/**
 * The permissions that somebody gives to another. Nobody can give what they do not have. The default list can always
 * be given, because every token gets it that names none.
 * @param names undefined for the default list
 * @param giver null for a project, which may give everything
 * @throws Refusal `invalid_parameter` for a name that is no permission, `not_permitted` for one that the giver lacks
 */
export function permissionsToGrant(
  names: readonly string[] | undefined,
  giver: GrantedPermissions | null,
): GrantedPermissions {
  if (!names) return grantedPermissions(DEFAULT_PERMISSIONS)
  const unknown = names.find((name) => !canonicalPermission(name))
  if (unknown !== undefined) {
    throw new Refusal('invalid_parameter', `Invalid params: permissions has no permission "${unknown}"`)
  }
  const granted = grantedPermissions(names)
  for (const permission of granted) {
    if (giver?.has(permission) ?? true) continue
    throw new Refusal(
      'not_permitted',
      `Permission denied: ${permission}. You cannot give what you do not have.`,
    )
  }
  return granted
}

/**
 * Every inner list must be satisfied, and one permission of an inner list satisfies it. A refusal names the first
 * permission of the inner list.
 */
export type PermissionRequirement = readonly (readonly Permission[])[]

/** Properties of a request that, besides its method, determine the permission it needs. */
export interface RequestTarget {
  /** The request acts on the caller's own member or one of its children (screen share, extra device). */
  self: boolean
  /** True for `video.set_layout` if it also moves members. */
  withPositions?: boolean
}

const NOTHING: PermissionRequirement = []

/** Methods on one member. `room.self.X` applies to oneself, `room.member.X` to anybody else. */
const MEMBER_METHODS = [
  'audio_mute',
  'audio_unmute',
  'video_mute',
  'video_unmute',
  'deaf',
  'undeaf',
  'set_input_volume',
  'set_output_volume',
  'set_input_sensitivity',
  'set_position',
  'raisehand',
  'lowerhand',
  'set_meta',
] as const

/** Methods that need the same permission for every target. */
const ROOM_METHODS: Readonly<Record<string, PermissionRequirement>> = {
  'video.members.get': NOTHING,
  'video.member.get_meta': NOTHING,
  'video.get_meta': NOTHING,
  'video.react': NOTHING,
  'video.member.remove': [['room.member.remove']],
  'video.member.promote': [['room.member.promote']],
  'video.member.demote': [['room.member.demote']],
  'video.list_available_layouts': [['room.list_available_layouts']],
  'video.set_layout': [['room.set_layout']],
  'video.set_position': [['room.set_position']],
  'video.hide_video_muted': [['room.hide_video_muted']],
  'video.show_video_muted': [['room.show_video_muted']],
  'video.end': [['room.member.remove']],
  'video.lock': [['room.lock']],
  'video.unlock': [['room.unlock']],
  'video.prioritize_handraise': [['room.prioritize_handraise']],
  'video.set_meta': [['room.set_meta']],
  'video.update_meta': [['room.set_meta']],
  'video.delete_meta': [['room.set_meta']],
  'video.recording.start': [['room.recording']],
  'video.recording.pause': [['room.recording']],
  'video.recording.resume': [['room.recording']],
  'video.recording.stop': [['room.recording']],
  'video.recording.list': [['room.recording']],
  'video.playback.start': [['room.playback']],
  'video.playback.pause': [['room.playback']],
  'video.playback.resume': [['room.playback']],
  'video.playback.stop': [['room.playback']],
  'video.playback.set_volume': [['room.playback']],
  'video.playback.list': [['room.playback']],
  'video.playback.seek_absolute': [['room.playback_seek', 'room.playback']],
  'video.playback.seek_relative': [['room.playback_seek', 'room.playback']],
  'video.stream.start': [['room.stream']],
  'video.stream.stop': [['room.stream']],
  'video.stream.list': [['room.stream']],
}

/** Permissions for a method on one member: for oneself and for others. */
interface MemberRequirement {
  self: PermissionRequirement
  others: PermissionRequirement
}

/**
 * A permission for the whole room also allows changes to a member's meta, because the published pages describe both.
 */
const CHANGE_MEMBER_META: MemberRequirement = {
  self: [['room.self.set_meta', 'room.set_meta']],
  others: [['room.member.set_meta', 'room.set_meta']],
}

const ON_MEMBER: ReadonlyMap<string, MemberRequirement> = new Map<string, MemberRequirement>([
  ...MEMBER_METHODS.map((name): [string, MemberRequirement] => [
    `video.member.${name}`,
    { self: [[`room.self.${name}`]], others: [[`room.member.${name}`]] },
  ]),
  ['video.member.update_meta', CHANGE_MEMBER_META],
  ['video.member.delete_meta', CHANGE_MEMBER_META],
])

const SET_LAYOUT_WITH_POSITIONS: PermissionRequirement = [['room.set_layout'], ['room.set_position']]

/** All room methods of docs/protocol.md, section 5, that {@link requiredPermission} knows. */
export const ROOM_METHOD_NAMES: readonly string[] = [...Object.keys(ROOM_METHODS), ...ON_MEMBER.keys()]

/**
 * Returns the permissions that a room method needs (docs/protocol.md, section 5). Legs are not methods: a screen
 * share needs `room.self.screenshare`, an extra device `room.self.additional_source`.
 * @returns an empty requirement if every member may call it, null if there is no such method
 */
export function requiredPermission(method: string, target: RequestTarget): PermissionRequirement | null {
  if (method === 'video.set_layout' && target.withPositions) return SET_LAYOUT_WITH_POSITIONS
  const onMember = ON_MEMBER.get(method)
  if (onMember) return target.self ? onMember.self : onMember.others
  return Object.hasOwn(ROOM_METHODS, method) ? ROOM_METHODS[method]! : null
}

/** Returns the first missing permission, under the name for the refusal. Null if none is missing. */
export function missingPermission(
  granted: GrantedPermissions,
  requirement: PermissionRequirement,
): Permission | null {
  for (const anyOf of requirement) {
    if (!anyOf.some((permission) => granted.has(permission))) return anyOf[0] ?? null
  }
  return null
}

/** Whether a member with these permissions may call the method. Nobody may call unknown methods. */
export function isPermitted(granted: GrantedPermissions, method: string, target: RequestTarget): boolean {
  const requirement = requiredPermission(method, target)
  return requirement !== null && missingPermission(granted, requirement) === null
}
