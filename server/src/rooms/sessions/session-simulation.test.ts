import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Refusal } from '../../errors/refusal.ts'
import { newId } from '../../ids.ts'
import type { LayoutName } from '../../resources/layout-names.ts'
import type { RoomRecord } from '../../storage/records.ts'
import { GRACE, SessionWorld, Witness } from '../../testing/simulation/session-world.ts'
import type { Layout } from '../layouts/layout-types.ts'
import { DEFAULT_PERMISSIONS, grantedPermissions, PERMISSIONS } from '../permissions.ts'
import type { LiveSession } from './live-session.ts'
import type { Member, MemberSettings } from './member.ts'
import type { MemberRole } from './member-role.ts'
import type { MemberView, SessionEvent, SessionView } from './participant.ts'
import type { RoomState } from './session-changes.ts'

const MAX_MEMBERS = 3
/** As the simulated world sets it. */
const MAX_AUDIENCE = 3
const MEDIA = ['all', 'audio-only', 'video-only'] as const
const PEOPLE = 5

/** One random event. `who` and `what` are taken modulo the number of people or objects. */
type Happening = { kind: string; who: number; what: number }

const KINDS = [
  'join',
  'join',
  'join',
  'joinBadly',
  'share',
  'hangUp',
  'drop',
  'comeBack',
  'reload',
  'remove',
  'mute',
  'setLayout',
  'setPosition',
  'setPosition',
  'talk',
  'changeRole',
  'changeRole',
  'follow',
  'follow',
  'set',
  'raiseHand',
  'changeMeta',
  'changeRoom',
  'delayMedia',
  'legFails',
  'answer',
  'refuse',
  'hold',
  'record',
  'stopRecording',
  'play',
  'changePlayback',
  'endPlayback',
  'deleteRoom',
  'killWorker',
  'restart',
  'shortWait',
  'longWait',
] as const

const happenings = fc.array(
  fc.record<Happening>({
    kind: fc.constantFrom(...KINDS),
    who: fc.nat({ max: PEOPLE - 1 }),
    what: fc.nat({ max: 9 }),
  }),
  { minLength: 5, maxLength: 40, size: 'max' },
)

type Role = Pick<MemberRole, 'joinAs' | 'permissions'>

/** All tokens of the simulation grant all permissions. An audience has none. */
const roleByToken = (joinAs: Role['joinAs']): Role => ({
  joinAs,
  permissions: grantedPermissions(PERMISSIONS, joinAs),
})

const MEMBER_CHANGES: readonly Partial<MemberSettings>[] = [
  { audio_muted: true },
  { audio_muted: false },
  { deaf: true },
  { deaf: false },
  { held: true },
  { held: false },
  { input_volume: -50 },
  { input_volume: 3, input_sensitivity: 0 },
]
const ROOM_CHANGES: readonly Partial<RoomState>[] = [
  { hide_video_muted: true },
  { hide_video_muted: false },
  { prioritize_handraise: true },
  { prioritize_handraise: false },
  { locked: true },
  { locked: false },
  { meta: { a: 1 } },
]

/** The fields of a member that change and that clients are told. */
const toldOf = (member: MemberView) => ({
  audioMuted: member.audioMuted,
  videoMuted: member.videoMuted,
  deaf: member.deaf,
  inputVolume: member.inputVolume,
  inputSensitivity: member.inputSensitivity,
  handRaised: member.handRaised,
  meta: member.meta,
})
type Told = ReturnType<typeof toldOf>

/** The fields of a session that change and that clients are told. */
const roomFieldsOf = ({ locked, hideVideoMuted, prioritizeHandraise, meta }: SessionView) => ({
  locked,
  hideVideoMuted,
  prioritizeHandraise,
  meta,
})

/** A person with a browser: at most one main call, some screen shares. */
class Person extends Witness {
  /** Leg ids of its calls, the main one first. This is the client's own view, from what the server told it. */
  calls: string[] = []
  seat: { session: LiveSession; member: Member; legId: string } | null = null
  /** When its socket dropped last, on the world's clock. */
  droppedAt = 0
  /** Requested position, position and visibility of each member, as this client was told last. */
  readonly places = new Map<string, readonly unknown[]>()
  layout: Layout | null = null
  /** What its client shows as its role and permissions. */
  role: Role | null = null
  /** How often it was told a role since it last joined in one. */
  toFollow = 0

  /** The state of members and room as this client was told it. */
  readonly told = new Map<string, Told>()
  /** Null after a drop, in which it may have missed a change. */
  toldRoom: object | null = null

  override onLegEnded = (legId: string) => {
    this.calls = this.calls.filter((id) => id !== legId)
    if (this.seat?.legId === legId) this.seat = null
  }

  override notify(event: SessionEvent): void {
    super.notify(event)
    if (!this.connected) return
    if (event.type === 'subscribed') {
      this.places.clear()
      this.told.clear()
      for (const member of event.session.members) this.#learn(member)
      this.toldRoom = roomFieldsOf(event.session)
    }
    if (event.type === 'member_joined' || event.type === 'member_updated') this.#learn(event.member)
    if (event.type === 'room_updated') this.toldRoom = roomFieldsOf(event.session)
    if (event.type === 'layout_changed') this.layout = event.layout
    if (event.type === 'member_promoted' || event.type === 'member_demoted') {
      this.role = event.role ?? roleByToken(event.type === 'member_promoted' ? 'member' : 'audience')
      this.toFollow++
    }
  }

  #learn(member: MemberView): void {
    this.places.set(member.id, placeOf(member))
    this.told.set(member.id, toldOf(member))
  }
}

const placeOf = ({ requestedPosition, currentPosition, visible }: MemberView) => [
  requestedPosition,
  currentPosition,
  visible,
]

const LAYOUTS: readonly LayoutName[] = [
  '2x1',
  '1x1',
  'highlight-1-responsive',
  'screen-share',
  '1up-top-left5',
]
const POSITIONS = ['auto', 'standard-1', 'standard-2', 'reserved-1', 'full-screen', 'off-canvas'] as const

/** Runs random events in a world, and checks the invariants after each. */
class Play {
  readonly world: SessionWorld
  readonly people = Array.from({ length: PEOPLE }, (_, index) => new Person(`person-${index}`))
  readonly roomName = `room-${newId()}`
  readonly begun = new Set<LiveSession>()
  /** Sessions that have ended and passed the checks after that. */
  readonly #over = new Set<LiveSession>()
  #room: RoomRecord | undefined

  constructor(world: SessionWorld) {
    this.world = world
  }

  get session(): LiveSession | undefined {
    return this.world.registry.sessions.find((session) => session.name === this.roomName)
  }

  async begin(): Promise<void> {
    this.#room = await this.world.addRoom({ name: this.roomName, max_members: MAX_MEMBERS })
  }

  async perform({ kind, who, what }: Happening): Promise<void> {
    const person = this.people[who] as Person
    const { world, session } = this
    const { media } = world
    switch (kind) {
      case 'join':
        if (!person.seat) this.#join(person, what)
        break
      case 'joinBadly':
        if (!person.seat) this.#join(person, what, 'garbage')
        break
      case 'share':
        this.#share(person, what)
        break
      case 'hangUp':
        this.#hangUp(person, what)
        break
      case 'drop':
        this.#drop(person)
        break
      case 'comeBack':
        this.#comeBack(person)
        break
      case 'reload':
        if (person.connected) await this.#reload(person)
        break
      case 'remove':
        if (person.seat) person.seat.session.departures.leave(person.seat.member, 'removed')
        break
      case 'mute':
        if (person.seat) {
          const { session: its, member } = person.seat
          its.changes.change(member, { video_muted: what % 2 === 0 }).catch(expectRefusal)
        }
        break
      case 'setLayout':
        session?.arrangement.setLayout(
          LAYOUTS[what % LAYOUTS.length]!,
          new Map(what < 5 && person.seat?.session === session ? this.#position(person, what) : []),
        )
        break
      case 'setPosition':
        person.seat?.session.arrangement.setPositions(new Map(this.#position(person, what)))
        break
      case 'talk':
        if (session && person.seat)
          media.roomOf(session.id)?.emit('talking', { memberId: person.seat.member.id, talking: what < 7 })
        break
      case 'changeRole':
        this.#changeRole(person, what)
        break
      case 'follow': {
        const told = this.people.filter(({ toFollow }) => toFollow > 0)
        this.#follow(told[who % Math.max(1, told.length)] ?? person, what)
        break
      }
      case 'set':
        if (person.seat) this.#set(person.seat, what)
        break
      case 'raiseHand':
        if (person.seat) person.seat.session.changes.raiseHand(person.seat.member, what % 2 === 0)
        break
      case 'changeMeta':
        if (person.seat) person.seat.session.changes.setMeta(person.seat.member, { what })
        break
      case 'changeRoom':
        session?.changes.changeRoom(ROOM_CHANGES[what % ROOM_CHANGES.length]!)
        break
      case 'delayMedia': {
        const { promise, resolve } = Promise.withResolvers<void>()
        world.clock.after(1000 * what, resolve)
        media.confirmations = what % 2 === 0 ? promise : null
        break
      }
      case 'legFails':
        if (person.seat) {
          media.roomOf(person.seat.session.id)?.emit('leg', { legId: person.seat.legId, state: 'failed' })
        }
        break
      case 'answer':
        media.negotiations[what % Math.max(1, media.negotiations.length)]?.succeed()
        break
      case 'refuse':
        media.negotiations[what % Math.max(1, media.negotiations.length)]?.fail()
        break
      case 'hold':
        media.holdsNegotiations = what % 2 === 0
        break
      case 'record':
        session?.recordings.start().catch(expectRefusal)
        break
      case 'stopRecording': {
        const running = session?.runningRecordings[0]
        if (running) session?.recordings.stop(running.id)
        break
      }
      case 'play':
        world.media.refusesPlaybacks = what === 0 ? 'not found' : null
        session?.playbacks
          .start({ url: 'https://203.0.113.9/film.mp4', volume: 0, positionMs: 0, wish: {} })
          .catch(expectRefusal)
        break
      case 'changePlayback':
        this.#changePlayback(session, who, what)
        break
      case 'endPlayback': {
        const [ended] = session?.playbacks.running ?? []
        if (ended)
          media.roomOf(session!.id)?.endPlayback(ended.id, what % 2 === 0 ? 'finished' : 'lost', what)
        break
      }
      case 'deleteRoom':
        await this.#deleteRoom(what)
        break
      case 'killWorker':
        if (session) media.roomOf(session.id)?.die()
        break
      case 'restart':
        await this.#restart(what)
        break
      case 'shortWait':
        await world.clock.advance(1000 * (what + 1))
        break
      case 'longWait':
        await world.clock.advance(GRACE.reconnectGraceMs + GRACE.sessionGraceMs + what)
        break
    }
    await world.settled()
    if (this.session) this.begun.add(this.session)
  }

  /** Checks what must hold whenever no work is pending. */
  async check(): Promise<void> {
    const { world, session } = this
    expect(this.#openCount()).toBeLessThanOrEqual(1)
    const { rows: inProgress } = await world.storage.sessions.list(
      world.projectId,
      { roomName: this.roomName, status: 'in-progress' },
      { limit: 5 },
    )
    expect(inProgress.map(({ id }) => id)).toEqual(session?.isStarted ? [session.id] : [])
    if (session) this.#checkSession(session)
    for (const one of this.begun) {
      if (this.#over.has(one)) continue
      await this.#checkHistory(one)
      if (one.isEnded) this.#over.add(one)
    }
    for (const person of this.people) this.#checkPerson(person)
  }

  /** Everybody leaves, and time passes. Nothing may be left. */
  async leaveNothing(): Promise<void> {
    const { world } = this
    world.media.holdsNegotiations = false
    world.media.confirmations = null
    for (const negotiation of [...world.media.negotiations]) negotiation.succeed()
    await world.settled()
    for (const person of this.people) this.#hangUp(person, 0)
    await world.clock.advance(2 * (GRACE.reconnectGraceMs + GRACE.sessionGraceMs))
    this.#over.clear()
    await this.check()
    expect(this.#openCount()).toBe(0)
    expect(world.media.rooms.size).toBe(0)
    await world.registry.stop()
    expect(world.clock.pendingCount).toBe(0)
    for (const session of this.begun) {
      const { record, recordings, events } = await world.history(session)
      if (!record) continue
      expect(record.status).toBe('completed')
      expect(recordings.every(({ status }) => status === 'completed')).toBe(true)
      expect(events[0]?.name).toBe('room.started')
      expect(events.filter(({ name }) => name === 'room.ended')).toHaveLength(1)
    }
  }

  #openCount(): number {
    return this.world.registry.sessions.filter(({ name }) => name === this.roomName).length
  }

  #join(person: Person, what: number, offer = 'offer'): void {
    if (!person.connected) return
    const legId = newId()
    const join_as = what % 4 === 0 ? 'audience' : 'member'
    const end_room_session_on_leave = what === 1
    const remove_after_seconds_elapsed = { 2: 45, 3: 100_000 }[what] ?? null
    this.world.registry
      .join({
        grant: this.world.grant({
          room_name: this.roomName,
          join_as,
          end_room_session_on_leave,
          remove_after_seconds_elapsed,
        }),
        name: person.name,
        participant: person,
        legId,
        offer,
        onAnswered: (_, member, session) => {
          // The user may have clicked twice.
          if (person.seat) person.seat.session.departures.leave(person.seat.member, 'replaced')
          person.seat = { session, member, legId }
          person.calls.push(legId)
          person.role = roleByToken(join_as)
          person.toFollow = 0
        },
      })
      .catch(expectRefusal)
  }

  /** A position for somebody who is not in the audience: the person, or its last screen share. */
  *#position({ seat }: Person, what: number): Iterable<[Member, string]> {
    const own = seat?.session.members.filter((member) => seat && member.isOwnedBy(seat.member)) ?? []
    const member = what % 2 === 0 ? own[0] : own.at(-1)
    if (member) yield [member, POSITIONS[what % POSITIONS.length]!]
  }

  #share(person: Person, what: number): void {
    const { seat } = person
    if (!seat || !person.connected) return
    const legId = newId()
    seat.session.joins
      .addChild({
        parent: seat.member,
        type: 'screen',
        legId,
        offer: 'offer',
        wish: what < 3 ? { layout: LAYOUTS[what]!, positions: { self: POSITIONS[what + 1]! } } : {},
        onAnswered: () => person.calls.push(legId),
      })
      .catch(expectRefusal)
  }

  /** Somebody promotes or demotes this person, now and then one for whom that is impossible. */
  #changeRole({ seat }: Person, what: number): void {
    if (!seat) return
    const { member, session } = seat
    const mediaAllowed = MEDIA[what % 3]!
    const promotion = {
      permissions: grantedPermissions(what % 2 === 0 ? DEFAULT_PERMISSIONS : []),
      mediaAllowed,
      audioMuted: what % 2 === 0,
      videoMuted: what > 5,
      meta: null,
    }
    try {
      if (member.isAudience === what < 9) session.roles.promote(member, promotion, 'somebody')
      else session.roles.demote(member, mediaAllowed, 'somebody')
      session.roles.tell(member)
    } catch (error) {
      expectRefusal(error)
    }
  }

  /** The client joins again on a new leg, because it was told a role. It may hang up the old leg after that. */
  #follow(person: Person, what: number): void {
    const { seat, toFollow } = person
    if (!seat || !person.connected || toFollow === 0) return
    const { member, session, legId: before } = seat
    const legId = newId()
    const onAnswered = () => {
      person.calls = person.calls.map((id) => (id === before ? legId : id))
      seat.legId = legId
      person.toFollow -= toFollow
    }
    const offer = what < 8 ? 'offer' : 'garbage'
    session.roles.follow({ member, legId, offer, onAnswered }).then(() => {
      if (what % 2 === 0) session.departures.hangUp(before)
    }, expectRefusal)
  }

  #set({ session, member }: NonNullable<Person['seat']>, what: number): void {
    const settings = MEMBER_CHANGES[what % MEMBER_CHANGES.length]!
    session.changes
      .change(member, settings, () => {
        // From the answer on, the media worker has it. A member that it does not know yet is not mixed.
        const media = this.world.media.roomOf(session.id)?.members.get(member.id)
        if (media) expect(media).toEqual(member.media)
      })
      .catch(expectRefusal)
  }

  #hangUp(person: Person, what: number): void {
    const { seat } = person
    if (!seat) return
    const legId = what % 2 === 0 ? seat.legId : person.calls.at(-1)
    if (!legId) return
    person.onLegEnded(legId)
    seat.session.departures.hangUp(legId)
  }

  #drop(person: Person): void {
    if (!person.connected) return
    person.connected = false
    person.droppedAt = this.world.clock.now()
    person.toldRoom = null
    person.seat?.session.presence.lost(person)
  }

  #comeBack(person: Person): void {
    if (person.connected) return
    person.connected = true
    // The result of the connect request holds the role.
    if (person.seat) person.role = roleOf(person.seat.member)
    person.seat?.session.presence.back(person, this.world.clock.now() - person.droppedAt)
  }

  async #reload(person: Person): Promise<void> {
    const { seat } = person
    if (!seat) return
    seat.session.renegotiate(seat.legId, 'new page').then(
      () => seat.session.presence.greetAgain(seat.legId),
      (error: unknown) => {
        expectRefusal(error)
      },
    )
  }

  #changePlayback(session: LiveSession | undefined, who: number, what: number): void {
    const playback = session?.playbacks.all.at(-1 - (who % 2))
    if (!session || !playback) return
    const { playbacks } = session
    if (what === 0) playback.state !== 'completed' && playbacks.stop(playback.id)
    else if (what < 4) playbacks.pause(playback.id).catch(expectRefusal)
    else if (what < 7) playbacks.resume(playback.id).catch(expectRefusal)
    else if (what < 9) playbacks.seekBy(playback.id, 1000 * (what - 8)).catch(expectRefusal)
    else playbacks.setVolume(playback.id, what).catch(expectRefusal)
  }

  async #deleteRoom(what: number): Promise<void> {
    const { world } = this
    const room = await world.storage.rooms.findByName(world.projectId, this.roomName)
    if (!room || what > 3) return
    await world.storage.rooms.delete(world.projectId, room.id)
    await world.registry.endForRoom(world.projectId, room.id, 'room_deleted')
  }

  /** Stops the server and starts it again. */
  async #restart(what: number): Promise<void> {
    const { world } = this
    if (what > 4) return
    for (const negotiation of [...world.media.negotiations]) negotiation.fail()
    await world.registry.stop()
    world.registry = world.newRegistry()
    await world.registry.recover()
  }

  #checkSession(session: LiveSession): void {
    const media = this.world.media.roomOf(session.id)
    const seated = session.everybody()
    const mains = seated.filter((member) => member.type === 'member')
    expect(mains.length).toBeLessThanOrEqual(this.#maxMembers(session))
    const audience = seated.filter((member) => member.isAudience)
    expect(audience.length).toBeLessThanOrEqual(MAX_AUDIENCE)
    for (const { terms } of audience) expect([...terms.permissions]).toEqual([])
    for (const member of seated) if (member.parent) expect(seated).toContain(member.parent)
    const pending = this.world.media.negotiations.length
    const legs = [...(media?.legs.values() ?? [])]
    const known = new Set(seated.map(({ id }) => id))
    // The media room has legs and members of the session, and of people who are still negotiating.
    for (const leg of legs) expect(known).toContain(leg.memberId)
    // One leg each, which lets through what the present role allows.
    for (const { id, directions } of seated) {
      expect(legs.filter(({ memberId }) => memberId === id)).toMatchObject([directions])
    }
    // What the media worker mixes is what the session says.
    if (media?.changesUnderWay === 0) {
      for (const member of seated) expect(media.members.get(member.id)).toEqual(member.media)
      expect(media.members.size).toBeLessThanOrEqual(seated.length + pending)
    }
    this.#checkArrangement(session)
  }

  /** Everybody is shown or off the canvas, as the member says; a place has one holder and one who asked for it. */
  #checkArrangement(session: LiveSession): void {
    const { layout, members } = session
    const shown = layout.layers.flatMap(({ member_id }) => member_id ?? [])
    const media = this.world.media.roomOf(session.id)
    const playing = session.playbacks.running.map(({ id }) => id)
    expect(playing.length).toBeLessThanOrEqual(2)
    expect([...(media?.playbacks.keys() ?? [])].toSorted()).toEqual(playing.toSorted())
    expect(layout.layers.flatMap(({ playback_id }) => playback_id ?? []).toSorted()).toEqual(
      playing.toSorted(),
    )
    expect(media?.tiles.map(({ memberId, playbackId }) => memberId ?? playbackId)).toEqual(
      layout.layers.flatMap(({ member_id, playback_id }) => member_id ?? playback_id ?? []),
    )
    expect([...shown, ...layout.offCanvas].toSorted()).toEqual(members.map(({ id }) => id).toSorted())
    expect(layout.name).toBe(session.layoutName)
    const held = layout.layers.map(({ position }) => position)
    const places = held.filter((position) => position !== 'full-screen' && position !== 'playback')
    expect(new Set(places).size).toBe(places.length)
    for (const member of members) {
      const layer = layout.layers.find(({ member_id }) => member_id === member.id)
      expect(member.currentPosition).toBe(layer?.position ?? 'off-canvas')
      expect(member.visible).toBe(layer?.visible ?? false)
    }
    const requested = members
      .map(({ requestedPosition }) => requestedPosition)
      .filter((position) => position !== 'auto' && position !== 'off-canvas')
    expect(new Set(requested).size).toBe(requested.length)
    for (const member of members) {
      const isThere = held.includes(member.requestedPosition)
      if (isThere) expect(member.currentPosition).toBe(member.requestedPosition)
    }
  }

  /** A room that was deleted, and created again by a join, has the default limit. */
  #maxMembers(session: LiveSession): number {
    return session.roomId === this.#room?.id ? MAX_MEMBERS : 20
  }

  async #checkHistory(session: LiveSession): Promise<void> {
    const { record, members, recordings, events } = await this.world.history(session)
    if (!record) {
      expect(events).toEqual([])
      return
    }
    const present = members.filter(({ leave_time }) => leave_time === null).map(({ id }) => id)
    const seated = session.isEnded ? [] : session.everybody().map(({ id }) => id)
    expect(present.toSorted()).toEqual(seated.toSorted())
    for (const { id, type } of members) {
      if (seated.includes(id)) expect(type).toBe(session.member(id)?.type)
    }
    expect(record.status).toBe(session.isEnded ? 'completed' : 'in-progress')
    expect(record.end_time === null).toBe(!session.isEnded)
    const count = (name: string) => events.filter((event) => event.name === name).length
    expect(count('member.joined') - count('member.left')).toBe(seated.length)
    expect(count('room.started')).toBe(1)
    expect(count('room.ended')).toBe(session.isEnded ? 1 : 0)
    expect(count('playback.started') - count('playback.ended')).toBe(session.playbacks.running.length)
    const running = recordings.filter(({ status }) => status === 'recording')
    expect(running.length).toBeLessThanOrEqual(session.isEnded ? 0 : 1)
    for (const recording of recordings) {
      if (recording.status === 'completed') expect(recording.duration_ms).not.toBeNull()
    }
  }

  /** Checks that a connected browser was told the true state. */
  #checkPerson(person: Person): void {
    const { seat } = person
    if (!seat) {
      const seats = this.session?.everybody().filter((member) => member.participant === person) ?? []
      expect(seats).toEqual([])
      return
    }
    expect(seat.session.isEnded).toBe(false)
    expect(seat.session.member(seat.member.id)).toBe(seat.member)
    if (person.connected) {
      const { members, runningRecordings, layout, layoutName } = seat.session
      expect([...person.known].toSorted()).toEqual(idsOf(members))
      expect([...person.muted].toSorted()).toEqual(idsOf(members.filter(({ audioMuted }) => audioMuted)))
      // Somebody whose new role allows it learns of the recordings when it has followed.
      if (seat.member.terms.permissions.has('room.recording') && person.toFollow === 0)
        expect([...person.recordings].toSorted()).toEqual(idsOf(runningRecordings))
      for (const member of members) expect(person.places.get(member.id)).toEqual(placeOf(member))
      expect(person.layout).toEqual(layout)
      expect(person.layout?.name).toBe(layoutName)
      this.#checkRole(person, seat.member)
      for (const member of seat.session.members) expect(person.told.get(member.id)).toEqual(toldOf(member))
      if (person.toldRoom) expect(person.toldRoom).toEqual(roomFieldsOf(seat.session))
    }
  }

  /** A client never shows fewer rights than it has; and the right ones once it has followed what it was told. */
  #checkRole({ role, toFollow }: Person, member: Member): void {
    for (const permission of member.terms.permissions) expect(role?.permissions).toContain(permission)
    if (toFollow === 0) expect(role).toMatchObject(roleOf(member))
  }
}

const idsOf = (list: readonly { id: string }[]) => list.map(({ id }) => id).toSorted()

const roleOf = ({ isAudience, terms }: Member): Role => ({
  joinAs: isAudience ? 'audience' : 'member',
  permissions: terms.permissions,
})

function expectRefusal(error: unknown): void {
  if (!(error instanceof Refusal)) throw error
}

test('whatever happens in whatever order, sessions stay consistent and leave nothing behind', {
  timeout: 120_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(happenings, async (sequence) => {
      const world = await SessionWorld.open()
      try {
        const play = new Play(world)
        await play.begin()
        for (const happening of sequence) {
          await play.perform(happening)
          await play.check()
        }
        await play.leaveNothing()
      } finally {
        await world.close()
      }
    }),
    { numRuns: 40, timeout: 30_000, interruptAfterTimeLimit: 40_000 },
  )
})
