import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type DeviceIds,
  initialLocalMedia,
  kindsIn,
  type LocalMediaCourse,
  type LocalMediaEffect,
  type LocalMediaEvent,
  nextLocalMedia,
} from './local-media-machine.ts'

/** Applies events in order. @returns the resulting state, and the effects of the last event */
function play(events: readonly LocalMediaEvent[], from = initialLocalMedia) {
  let course: LocalMediaCourse = from
  let effects: readonly LocalMediaEffect[] = []
  for (const event of events) [course, effects] = nextLocalMedia(course, event)
  const { camera, microphone } = course
  return { course, effects, camera: camera.shown, microphone: microphone.shown }
}

const both = {
  name: 'Ada',
  cameraOn: true,
  microphoneOn: true,
  cameraId: 'cam',
  microphoneId: null,
  speakerId: null,
}
const start: LocalMediaEvent = { kind: 'start', choices: both }
const turnOn = (device: 'camera' | 'microphone', cameraId: string | null = 'cam'): LocalMediaEvent => ({
  kind: 'turn-on',
  device,
  choices: { ...both, cameraId },
})
const opened = (opening: number, ...live: ('camera' | 'microphone')[]): LocalMediaEvent => ({
  kind: 'opened',
  opening,
  live,
})
const failed = (opening: number, problem: 'denied' | 'missing' | 'in-use' | 'insecure'): LocalMediaEvent => ({
  kind: 'not-opened',
  opening,
  problem,
})
const listing = (number: number): LocalMediaEffect => ({ do: 'list-devices', listing: number })
const { course: running } = play([start, opened(1, 'camera', 'microphone')])

describe('the start', () => {
  test('asks once for both devices, and lists the devices when their names are known', () => {
    expect(play([start])).toMatchObject({
      camera: { is: 'starting' },
      microphone: { is: 'starting' },
      effects: [{ do: 'open', opening: 1, ids: { camera: 'cam', microphone: null } }],
    })
    expect(play([start, opened(1, 'camera', 'microphone')])).toMatchObject({
      camera: { is: 'on' },
      microphone: { is: 'on' },
      effects: [listing(1)],
    })
  })

  test('opens only what is chosen', () => {
    const only = (part: object) => play([{ kind: 'start', choices: { ...both, ...part } }])
    expect(only({ cameraOn: false })).toMatchObject({
      camera: { is: 'off' },
      effects: [{ do: 'open', opening: 1, ids: { microphone: null } }],
    })
    expect(only({ cameraOn: false, microphoneOn: false }).effects).toEqual([listing(1)])
  })

  test('with one device missing asks for each alone, one after the other', () => {
    const failing = play([start, failed(1, 'missing')])
    expect(failing.effects).toEqual([{ do: 'ask-permissions', opening: 1, problem: 'missing' }])
    expect(failing.camera).toEqual({ is: 'starting' })
    const permissions: LocalMediaEvent = {
      kind: 'permissions',
      opening: 1,
      problem: 'missing',
      permissions: { camera: 'prompt', microphone: 'prompt' },
    }
    const alone = play([permissions], failing.course)
    expect(alone.effects).toEqual([{ do: 'open', opening: 2, ids: { camera: 'cam' } }])
    const byDefault = play([failed(2, 'missing')], alone.course)
    expect(byDefault.effects).toEqual([{ do: 'open', opening: 3, ids: { camera: null } }])
    const next = play([failed(3, 'missing')], byDefault.course)
    expect(next.camera).toEqual({ is: 'problem', problem: 'missing' })
    expect(next.effects).toContainEqual({ do: 'open', opening: 4, ids: { microphone: null } })
    expect(play([opened(4, 'microphone')], next.course).microphone).toEqual({ is: 'on' })
  })

  test('that is refused asks only for what the browser did not refuse', () => {
    const refused = (permissions: { camera: 'denied' | 'prompt'; microphone: 'granted' | 'prompt' }) =>
      play([start, failed(1, 'denied'), { kind: 'permissions', opening: 1, problem: 'denied', permissions }])
    expect(refused({ camera: 'denied', microphone: 'granted' })).toMatchObject({
      camera: { is: 'problem', problem: 'denied' },
      microphone: { is: 'starting' },
      effects: [{ do: 'open', opening: 2, ids: { microphone: null } }],
    })
    expect(refused({ camera: 'prompt', microphone: 'prompt' })).toMatchObject({
      camera: { is: 'problem', problem: 'denied' },
      microphone: { is: 'problem', problem: 'denied' },
      effects: [listing(1)],
    })
  })

  test('asks again only for what is still wanted', () => {
    const permissions: LocalMediaEvent = {
      kind: 'permissions',
      opening: 1,
      problem: 'in-use',
      permissions: { camera: 'granted', microphone: 'granted' },
    }
    const off = (device: 'camera' | 'microphone'): LocalMediaEvent => ({ kind: 'turn-off', device })
    expect(play([start, failed(1, 'in-use'), off('camera'), permissions]).effects).toEqual([
      { do: 'open', opening: 2, ids: { microphone: null } },
    ])
    // The microphone waits for the camera, and is turned off meanwhile.
    const turnedOff = play([start, failed(1, 'in-use'), permissions, off('microphone'), opened(2, 'camera')])
    expect(turnedOff).toMatchObject({ microphone: { is: 'off' }, effects: [listing(1)] })
    expect(play([start, off('camera'), off('microphone'), failed(1, 'in-use')]).effects).toEqual([listing(1)])
  })
})

describe('one device', () => {
  test('that is turned off stops, and its answer afterwards stops as well', () => {
    expect(play([{ kind: 'turn-off', device: 'camera' }], running)).toMatchObject({
      camera: { is: 'off' },
      microphone: { is: 'on' },
      effects: [{ do: 'stop', device: 'camera', opening: 1 }],
    })
    const late = play([turnOn('camera'), { kind: 'turn-off', device: 'camera' }, opened(1, 'camera')])
    expect(late.camera).toEqual({ is: 'off' })
    expect(late.effects).toContainEqual({ do: 'stop', device: 'camera', opening: 1 })
  })

  test('that is changed twice quickly is the second choice, in whatever order the answers come', () => {
    const twice = play([turnOn('camera', 'second'), turnOn('camera', 'third')], running).course
    const inOrder = play([opened(2, 'camera')], twice)
    expect(inOrder.effects).toContainEqual({ do: 'stop', device: 'camera', opening: 2 })
    expect(inOrder.camera).toEqual({ is: 'starting' })
    const reversed = play([opened(3, 'camera'), opened(2, 'camera')], twice)
    expect(reversed.effects).toContainEqual({ do: 'stop', device: 'camera', opening: 2 })
    expect(reversed.course.camera).toEqual({ shown: { is: 'on' }, opening: 3 })
  })

  test('that is restarted stops before it is opened again', () => {
    expect(play([turnOn('camera', 'other')], running).effects).toEqual([
      { do: 'stop', device: 'camera', opening: 1 },
      { do: 'open', opening: 2, ids: { camera: 'other' } },
    ])
  })

  test('that is gone is replaced by any other, unless it is no longer wanted', () => {
    const missing = play([turnOn('camera')]).course
    expect(play([failed(1, 'missing')], missing).effects).toEqual([
      { do: 'open', opening: 2, ids: { camera: null } },
    ])
    expect(play([{ kind: 'stop' }, failed(1, 'missing')], missing).effects).toEqual([listing(1)])
    expect(play([failed(1, 'in-use')], missing)).toMatchObject({
      camera: { is: 'problem', problem: 'in-use' },
      effects: [listing(1)],
    })
  })

  test('that is pulled is missing, also while it is opened', () => {
    const gone = { is: 'problem', problem: 'missing' }
    const stop: LocalMediaEffect = { do: 'stop', device: 'camera', opening: 1 }
    const pulled = play([{ kind: 'ended', device: 'camera', opening: 1 }], running)
    expect(pulled).toMatchObject({ camera: gone, microphone: { is: 'on' }, effects: [stop] })
    const meanwhile = play([start, opened(1, 'microphone')])
    expect(meanwhile).toMatchObject({ camera: gone, microphone: { is: 'on' }, effects: [stop, listing(1)] })
  })

  test('that was replaced does not matter when it ends', () => {
    const replaced = play([turnOn('camera', 'other'), opened(2, 'camera')], running).course
    expect(nextLocalMedia(replaced, { kind: 'ended', device: 'camera', opening: 1 })).toEqual([replaced, []])
  })
})

describe('leaving', () => {
  test('while a device is opened stops its track when it comes', () => {
    const left = play([start, { kind: 'stop' }, opened(1, 'camera', 'microphone')])
    expect(left).toMatchObject({ camera: { is: 'off' }, microphone: { is: 'off' } })
    expect(left.effects).toEqual([
      { do: 'stop', device: 'camera', opening: 1 },
      { do: 'stop', device: 'microphone', opening: 1 },
      listing(1),
    ])
  })

  test('for the meeting hands over what runs, and stops what comes later', () => {
    const released = play([turnOn('camera', 'other'), { kind: 'release' }], running)
    expect(released.effects).toEqual([{ do: 'hand-over', device: 'microphone', opening: 1 }])
    const late = play([opened(2, 'camera')], released.course)
    expect(late.effects).toContainEqual({ do: 'stop', device: 'camera', opening: 2 })
  })
})

test('the answer to an earlier request for the devices does not replace that to a later one', () => {
  const device = { kind: 'videoinput', deviceId: 'cam', label: 'Camera' } as const
  const asked = play([{ kind: 'devices-changed' }, { kind: 'devices-changed' }])
  expect(asked.effects).toEqual([listing(2)])
  const listed = play(
    [
      { kind: 'listed', listing: 2, devices: [device] },
      { kind: 'listed', listing: 1, devices: [] },
    ],
    asked.course,
  )
  expect(listed.course.listed).toEqual([device])
})

/** A browser that answers when, and as often as, the test wants. */
class Browser {
  course = initialLocalMedia
  readonly live = new Set<string>()
  readonly unanswered = new Map<number, DeviceIds>()
  readonly questions: Extract<LocalMediaEffect, { do: 'ask-permissions' }>[] = []

  /** @returns the effects that were carried out */
  take(event: LocalMediaEvent): readonly LocalMediaEffect[] {
    const [course, effects] = nextLocalMedia(this.course, event)
    this.course = course
    for (const effect of effects) this.#do(effect)
    return effects
  }

  open(opening: number, ids: DeviceIds, pulled: boolean): readonly LocalMediaEffect[] {
    this.unanswered.delete(opening)
    const live = kindsIn(ids).filter((device) => !(pulled && device === 'camera'))
    for (const device of live) this.live.add(`${device} ${opening}`)
    return this.take({ kind: 'opened', opening, live })
  }

  #do(effect: LocalMediaEffect): void {
    if (effect.do === 'open') this.unanswered.set(effect.opening, effect.ids)
    if (effect.do === 'ask-permissions') this.questions.push(effect)
    if (effect.do === 'stop') this.live.delete(`${effect.device} ${effect.opening}`)
    if (effect.do === 'hand-over') expect(this.live.delete(`${effect.device} ${effect.opening}`)).toBe(true)
  }
}

const device = fc.constantFrom('camera' as const, 'microphone' as const)
const problem = fc.constantFrom('denied', 'missing', 'in-use', 'insecure', 'failed')
const permission = fc.constantFrom('granted', 'denied', 'prompt', 'unknown')
const choices = fc.record({
  name: fc.constant(''),
  cameraOn: fc.boolean(),
  microphoneOn: fc.boolean(),
  cameraId: fc.constantFrom('cam', null),
  microphoneId: fc.constantFrom('mic', null),
  speakerId: fc.constant(null),
})
const permissions = fc.record({ camera: permission, microphone: permission })
const ofPerson = fc.oneof(
  fc.record({ kind: fc.constant('start' as const), choices }),
  fc.record({ kind: fc.constant('turn-on' as const), device, choices }),
  fc.record({ kind: fc.constant('turn-off' as const), device }),
  fc.constantFrom({ kind: 'stop' as const }, { kind: 'release' as const }),
)
const ofBrowser = fc.oneof(
  fc.record({ answer: fc.constant('opened' as const), pick: fc.nat(), pulled: fc.boolean() }),
  fc.record({ answer: fc.constant('failed' as const), pick: fc.nat(), problem }),
  fc.record({ answer: fc.constant('permissions' as const), permissions }),
  fc.record({ answer: fc.constant('ended' as const), pick: fc.nat() }),
  // Answers that nobody waits for.
  fc.record({ answer: fc.constant('stray' as const), pick: fc.nat(20), problem }),
)
type Answer = typeof ofBrowser extends fc.Arbitrary<infer One> ? One : never

function answer(browser: Browser, one: Answer): readonly LocalMediaEffect[] {
  const unanswered = [...browser.unanswered]
  switch (one.answer) {
    case 'opened': {
      const [number, ids] = unanswered[one.pick % unanswered.length] ?? []
      return number && ids ? browser.open(number, ids, one.pulled) : []
    }
    case 'failed': {
      const [opening] = unanswered[one.pick % unanswered.length] ?? []
      if (!opening) return []
      browser.unanswered.delete(opening)
      return browser.take({ kind: 'not-opened', opening, problem: one.problem })
    }
    case 'permissions': {
      const question = browser.questions.shift()
      return question ? browser.take({ ...question, kind: 'permissions', permissions: one.permissions }) : []
    }
    case 'ended': {
      const live = [...browser.live]
      const [kind, opening] = live[one.pick % live.length]?.split(' ') ?? []
      if (!kind) return []
      browser.live.delete(`${kind} ${opening}`)
      return browser.take({
        kind: 'ended',
        device: kind as 'camera' | 'microphone',
        opening: Number(opening),
      })
    }
    case 'stray':
      if (browser.course.openings.some(({ number }) => number === one.pick)) return []
      expect(browser.take({ kind: 'not-opened', opening: one.pick, problem: one.problem })).toEqual([])
      return []
  }
}

test('whatever happens in whatever order, what runs is what is shown, and nothing starts for ever', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(ofPerson, ofBrowser), { maxLength: 60 }), (steps) => {
      const browser = new Browser()
      let wantsNothing = true
      for (const step of steps) {
        if ('kind' in step)
          wantsNothing =
            step.kind === 'stop' || step.kind === 'release' || (wantsNothing && step.kind === 'turn-off')
        const effects = 'kind' in step ? browser.take(step) : answer(browser, step)
        const opens = effects.some((effect) => effect.do === 'open')
        if (wantsNothing) expect([opens, browser.live.size]).toEqual([false, 0])
        expect([...browser.live].sort()).toEqual(shownAsOn(browser.course))
      }
      // When the browser has answered everything, each device runs, has a problem or is off.
      while (browser.unanswered.size + browser.questions.length > 0) {
        answer(browser, { answer: 'permissions', permissions: { camera: 'granted', microphone: 'granted' } })
        answer(browser, { answer: 'failed', pick: 0, problem: 'missing' })
      }
      expect(browser.course.openings).toEqual([])
      for (const kind of ['camera', 'microphone'] as const)
        expect(browser.course[kind].shown.is).not.toBe('starting')
      browser.take({ kind: 'stop' })
      expect(browser.live.size).toBe(0)
    }),
    { numRuns: 300 },
  )
})

const shownAsOn = (course: LocalMediaCourse): readonly string[] =>
  (['camera', 'microphone'] as const).flatMap((kind) =>
    course[kind].shown.is === 'on' ? [`${kind} ${course[kind].opening}`] : [],
  )
