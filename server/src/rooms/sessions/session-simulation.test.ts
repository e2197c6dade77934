import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Refusal } from '../../errors/refusal.ts'
import { newId } from '../../ids.ts'
import type { RoomRecord } from '../../storage/records.ts'
import { GRACE, SessionWorld, Witness } from '../../testing/simulation/session-world.ts'
import type { LiveSession } from './live-session.ts'
import type { Member } from './member.ts'

const MAX_MEMBERS = 3
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

/** A person with a browser: at most one main call, some screen shares. */
class Person extends Witness {
  /** Leg ids of its calls, the main one first. This is the client's own view, from what the server told it. */
  calls: string[] = []
  seat: { session: LiveSession; member: Member; legId: string } | null = null

  override onLegEnded = (legId: string) => {
    this.calls = this.calls.filter((id) => id !== legId)
    if (this.seat?.legId === legId) this.seat = null
  }
}

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
        this.#share(person)
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
        if (person.seat) person.seat.session.change(person.seat.member, { video_muted: what % 2 === 0 })
        break
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
    const join_as = what === 0 ? 'audience' : 'member'
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
        },
      })
      .catch(expectRefusal)
  }

  #share(person: Person): void {
    const { seat } = person
    if (!seat || !person.connected) return
    const legId = newId()
    seat.session.joins
      .addChild({
        parent: seat.member,
        type: 'screen',
        legId,
        offer: 'offer',
        onAnswered: () => person.calls.push(legId),
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
    person.seat?.session.connectionLost(person)
  }

  #comeBack(person: Person): void {
    if (person.connected) return
    person.connected = true
    person.seat?.session.connectionBack(person)
  }

  async #reload(person: Person): Promise<void> {
    const { seat } = person
    if (!seat) return
    seat.session.renegotiate(seat.legId, 'new page').then(
      () => seat.session.greetAgain(seat.legId),
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
    for (const member of seated) if (member.parent) expect(seated).toContain(member.parent)
    const pending = this.world.media.negotiations.length
    const legs = [...(media?.legs.values() ?? [])]
    const known = new Set(seated.map(({ id }) => id))
    // The media room has legs and members of the session, and of people who are still negotiating.
    for (const leg of legs) expect(known).toContain(leg.memberId)
    for (const { id } of seated) expect(legs.map((leg) => leg.memberId)).toContain(id)
    expect(media?.members.size ?? 0).toBeGreaterThanOrEqual(seated.length)
    expect(media?.members.size ?? 0).toBeLessThanOrEqual(seated.length + pending)
    const playing = session.playbacks.running.map(({ id }) => id)
    expect(playing.length).toBeLessThanOrEqual(2)
    expect([...(media?.playbacks.keys() ?? [])].toSorted()).toEqual(playing.toSorted())
    // The pictures of files lie over those of members.
    const shown = [...session.members.map(({ id }) => id), ...playing]
    expect(media?.tiles.map(({ memberId, playbackId }) => memberId ?? playbackId)).toEqual(shown)
    expect(session.layout.layers.map(({ member_id, playback_id }) => member_id ?? playback_id)).toEqual(shown)
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
      expect([...person.known].toSorted()).toEqual(seat.session.members.map(({ id }) => id).toSorted())
    }
  }
}

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
