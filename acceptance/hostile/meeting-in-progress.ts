import { beforeAll, expect } from 'vitest'
import type { Persona } from '../testing/colours.ts'
import type { Participant } from '../testing/participant.ts'
import { seatsOf, seesEachInItsTile } from '../testing/seen-and-heard.ts'
import { type Deployment, GREEN, RED } from '../testing/use-deployment.ts'
import { ProcessorWatch } from './processor-watch.ts'

/** The longest time in milliseconds that a member's picture may stand still while somebody else attacks. */
const LONGEST_GAP_MS = 500

/** A meeting of people who do not take part in an attack. */
export interface MeetingInProgress {
  readonly roomName: string
  readonly members: readonly Participant[]
  /**
   * Runs an attack, and watches the picture of each member during it.
   * @throws what the attack throws; AssertionError if a member's picture stood still for 500 ms, or a member has left
   */
  goesOnDuring<T>(attack: () => Promise<T>): Promise<T>
}

/**
 * Starts a meeting of browsers before the first test of the file. They stay, so the deployment must keep its
 * participants for all tests.
 * @param people who meets; one is enough if a test opens browsers of its own, because they share the machine
 */
export function useMeetingInProgress(
  deployment: Deployment,
  people: readonly Persona[] = [RED, GREEN],
): MeetingInProgress {
  const members: Participant[] = []
  let roomName = ''
  beforeAll(async () => {
    roomName = deployment.roomName()
    for (const person of people) members.push(await deployment.enter(person, { room_name: roomName }))
    const seats = seatsOf(people.map((person, index) => [members[index] as Participant, person]))
    for (const member of members) await seesEachInItsTile(member, seats)
  })
  return {
    get roomName() {
      return roomName
    },
    members,
    async goesOnDuring(attack) {
      const marks = members.map(({ events }) => events.mark())
      const processors = await ProcessorWatch.begin(deployment.server)
      await Promise.all(
        members.flatMap((member) => [member.ask('watchPace'), member.ask('beginPulse')] as Promise<void>[]),
      )
      const startedAtMs = Date.now()
      try {
        const result = await attack()
        // Pictures after the attack show that it did not end with a standstill.
        await Promise.all(members.map((member) => member.moreFrames(5)))
        const endedAtMs = Date.now()
        await processors.end()
        for (const [index, member] of members.entries()) {
          const frames = await member.ask('stopWatching')
          const beats = await member.ask('endPulse')
          const gap = longestGap([startedAtMs, ...frames.map(({ atMs }) => atMs), endedAtMs])
          const untilMs = gap.fromMs + gap.ms
          const browserMs = latenessMs(beats, gap.fromMs, untilMs)
          const where = `${(gap.fromMs - startedAtMs).toFixed()} ms after the beginning`
          const why = `${processors.between(gap.fromMs, untilMs)}, its browser was ${browserMs.toFixed()} ms late`
          const what = `longest gap in the picture of ${member.name}, ${where} (${why})`
          // No server can use time that the machine itself did not get, or that other programs had. A browser that gets no
          // processor shows nothing.
          const stolenMs = processors.stolenMs(gap.fromMs, untilMs)
          const heldUpMs = processors.heldUpMs(gap.fromMs, untilMs)
          expect(gap.ms - stolenMs - heldUpMs - browserMs, what).toBeLessThan(LONGEST_GAP_MS)
          expect(member.events.all('room.left', marks[index]), `${member.name} left`).toEqual([])
        }
        return result
      } finally {
        await processors.end()
      }
    },
  }
}

/** A timer of a page that beats less often than this, in milliseconds, is late. */
const USUAL_BEAT_MS = 100

/** How late a timer of a page was between two times: the browser got no processor. */
function latenessMs(beats: readonly number[], fromMs: number, toMs: number): number {
  const steps = [fromMs, ...beats.filter((atMs) => atMs > fromMs && atMs < toMs), toMs]
  return steps
    .slice(1)
    .map((atMs, index) => atMs - (steps[index] ?? atMs))
    .filter((step) => step > USUAL_BEAT_MS)
    .reduce((sum, step) => sum + step - USUAL_BEAT_MS, 0)
}

function longestGap(timesMs: readonly number[]): { fromMs: number; ms: number } {
  const gaps = timesMs.slice(1).map((atMs, index) => {
    const fromMs = timesMs[index] ?? atMs
    return { fromMs, ms: atMs - fromMs }
  })
  return gaps.reduce((longest, gap) => (gap.ms > longest.ms ? gap : longest), { fromMs: 0, ms: 0 })
}
