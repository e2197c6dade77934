import type { Choices } from './choices.ts'
import { askAgainAlone, type DeviceKind, type MediaProblem, type Permission } from './media-problem.ts'

/**
 * Decides when the camera and the microphone are opened and stopped before joining. Pure: `local-media.ts` carries out
 * the effects and holds the tracks.
 */
export interface LocalMediaCourse {
  camera: Device
  microphone: Device
  /** Openings that the browser has not answered yet. */
  openings: readonly Opening[]
  /** The devices that the browser lists. */
  listed: readonly ListedDevice[]
  /** Number of the latest opening. */
  lastOpening: number
  /** Number of the latest request for the list of devices. */
  lastListing: number
}

export type DeviceState =
  | { is: 'off' }
  | { is: 'starting' }
  | { is: 'on' }
  | { is: 'problem'; problem: MediaProblem }

interface Device {
  shown: DeviceState
  /** The opening whose track is wanted. Tracks of all other openings are stopped. Null if none is wanted. */
  opening: number | null
}

/** One call of `getUserMedia`. */
interface Opening {
  number: number
  ids: DeviceIds
  /** The device to open after this one, because the browser should show one question at a time. */
  next: Waiting | null
}

/** A device that waits for its turn. It is opened if its opening is still the same one then. */
interface Waiting {
  device: DeviceKind
  id: string | null
  opening: number
}

/** Device ids of the devices to open; null is the browser's default. A device that is absent is not opened. */
export type DeviceIds = Readonly<Partial<Record<DeviceKind, string | null>>>

export type ListedDevice = Pick<MediaDeviceInfo, 'kind' | 'deviceId' | 'label'>

export type LocalMediaEvent =
  // From the person.
  /** Opens the chosen devices. If the browser has to ask the person, it asks once for both. */
  | { kind: 'start'; choices: Choices }
  /** Starts one device, or restarts it with another choice. */
  | { kind: 'turn-on'; device: DeviceKind; choices: Choices }
  | { kind: 'turn-off'; device: DeviceKind }
  | { kind: 'stop' }
  /** The meeting takes over the running devices. */
  | { kind: 'release' }
  // From the browser.
  /** @property live the devices whose tracks run. The track of a device that was pulled meanwhile has ended. */
  | { kind: 'opened'; opening: number; live: readonly DeviceKind[] }
  | { kind: 'not-opened'; opening: number; problem: MediaProblem }
  /** The answer to `ask-permissions`. */
  | { kind: 'permissions'; opening: number; problem: MediaProblem; permissions: Permissions }
  /** A track ended by itself: the device was pulled, or the permission was withdrawn. */
  | { kind: 'ended'; device: DeviceKind; opening: number }
  | { kind: 'devices-changed' }
  | { kind: 'listed'; listing: number; devices: readonly ListedDevice[] }

type Permissions = Readonly<Record<DeviceKind, Permission>>

export type LocalMediaEffect =
  /** Call `getUserMedia`. The answer carries this number. */
  | { do: 'open'; opening: number; ids: DeviceIds }
  /** Stop the tracks of this kind that came with this opening. */
  | { do: 'stop'; device: DeviceKind; opening: number }
  /** The meeting owns these tracks now. Keep them running, and hold them no longer. */
  | { do: 'hand-over'; device: DeviceKind; opening: number }
  /** Both devices failed together with this problem. The permissions tell which of them to ask for again. */
  | { do: 'ask-permissions'; opening: number; problem: MediaProblem }
  | { do: 'list-devices'; listing: number }

const kinds = ['camera', 'microphone'] as const
const off: Device = { shown: { is: 'off' }, opening: null }

/** The state before anything is opened. */
export const initialLocalMedia: LocalMediaCourse = {
  camera: off,
  microphone: off,
  openings: [],
  listed: [],
  lastOpening: 0,
  lastListing: 0,
}

type Step = readonly [LocalMediaCourse, readonly LocalMediaEffect[]]

/** Returns the next state for an event, and then the effects to carry out. */
export function nextLocalMedia(course: LocalMediaCourse, event: LocalMediaEvent): Step {
  switch (event.kind) {
    case 'start': {
      const { cameraOn, microphoneOn, ...ids } = event.choices
      const wanted = {
        ...(cameraOn && { camera: ids.cameraId }),
        ...(microphoneOn && { microphone: ids.microphoneId }),
      }
      return cameraOn || microphoneOn ? open(course, wanted, null) : list(course)
    }
    case 'turn-on':
      return open(course, { [event.device]: event.choices[`${event.device}Id`] }, null)
    case 'turn-off':
      return turnOff(course, event.device, 'stop')
    case 'stop':
      return forEach(kinds, course, (before, kind) => turnOff(before, kind, 'stop'))
    case 'release':
      return forEach(kinds, course, (before, kind) => turnOff(before, kind, 'hand-over'))
    case 'opened':
      return answered(course, event, (without, { ids, next }) =>
        proceed(
          forEach(kindsIn(ids), without, (before, kind) => took(before, kind, event)),
          next,
        ),
      )
    case 'not-opened':
      return answered(course, event, (without, opening) => notOpened(course, without, opening, event.problem))
    case 'permissions':
      return answered(course, event, (without, opening) => askAgain(without, opening, event))
    case 'ended':
      return ended(course, event)
    case 'devices-changed':
      return list(course)
    case 'listed':
      // An answer that comes late must not replace a newer list.
      return event.listing === course.lastListing ? [{ ...course, listed: event.devices }, []] : [course, []]
  }
}

/** The devices that are to be opened. */
export const kindsIn = (ids: DeviceIds): readonly DeviceKind[] =>
  kinds.filter((kind) => ids[kind] !== undefined)

function open(before: LocalMediaCourse, ids: DeviceIds, next: Waiting | null): Step {
  const opening = before.lastOpening + 1
  const [course, stopped] = forEach(kindsIn(ids), before, (one, kind) => [
    { ...one, [kind]: { shown: { is: 'starting' }, opening } },
    whileOn(one, kind, 'stop'),
  ])
  return [
    { ...course, lastOpening: opening, openings: [...course.openings, { number: opening, ids, next }] },
    [...stopped, { do: 'open', opening, ids }],
  ]
}

/** A device that is still starting is stopped when its track arrives: its opening no longer counts. */
function turnOff(course: LocalMediaCourse, kind: DeviceKind, how: 'stop' | 'hand-over'): Step {
  return [{ ...course, [kind]: off }, whileOn(course, kind, how)]
}

function whileOn(
  course: LocalMediaCourse,
  device: DeviceKind,
  how: 'stop' | 'hand-over',
): readonly LocalMediaEffect[] {
  const { shown, opening } = course[device]
  return shown.is === 'on' && opening !== null ? [{ do: how, device, opening }] : []
}

/** Takes an answer off the openings that are under way. Drops an answer to any other. */
function answered(
  course: LocalMediaCourse,
  { opening }: { opening: number },
  step: (without: LocalMediaCourse, opening: Opening) => Step,
): Step {
  const found = course.openings.find((one) => one.number === opening)
  if (!found) return [course, []]
  return step({ ...course, openings: course.openings.filter((one) => one !== found) }, found)
}

/** Keeps the track of one kind. Stops it if something else was requested in the meantime. */
function took(
  course: LocalMediaCourse,
  device: DeviceKind,
  { opening, live }: Extract<LocalMediaEvent, { kind: 'opened' }>,
): Step {
  if (course[device].opening !== opening) return [course, [{ do: 'stop', device, opening }]]
  if (!live.includes(device))
    return [withProblem(course, device, 'missing'), [{ do: 'stop', device, opening }]]
  return [{ ...course, [device]: { shown: { is: 'on' }, opening } }, []]
}

/** @param course still contains the opening, @param without no longer does */
function notOpened(
  course: LocalMediaCourse,
  without: LocalMediaCourse,
  opening: Opening,
  problem: MediaProblem,
): Step {
  const { number, ids, next } = opening
  const wanted = stillWanted(without, opening)
  const [device] = wanted
  if (device === undefined) return proceed([without, []], next)
  if (kindsIn(ids).length > 1) return [course, [{ do: 'ask-permissions', opening: number, problem }]]
  // If the chosen device is gone, another one is used.
  if (problem === 'missing' && ids[device] !== null) return open(without, { [device]: null }, next)
  return proceed([withProblem(without, device, problem), []], next)
}

function askAgain(
  before: LocalMediaCourse,
  opening: Opening,
  { problem, permissions }: Extract<LocalMediaEvent, { kind: 'permissions' }>,
): Step {
  const again = askAgainAlone(problem, permissions)
  const wanted = stillWanted(before, opening)
  const course = wanted
    .filter((kind) => !again.includes(kind))
    .reduce((one, kind) => withProblem(one, kind, problem), before)
  const waiting = wanted
    .filter((kind) => again.includes(kind))
    .map((device) => ({ device, id: opening.ids[device] ?? null, opening: opening.number }))
  const [first, second = null] = waiting
  return first ? open(course, { [first.device]: first.id }, second) : list(course)
}

/** The devices of an opening for which nothing else was requested since. */
const stillWanted = (course: LocalMediaCourse, { number, ids }: Opening): readonly DeviceKind[] =>
  kindsIn(ids).filter((kind) => course[kind].opening === number)

/** After an opening the device that waited is opened. The devices are listed again, because their names are known now. */
function proceed([course, effects]: Step, next: Waiting | null): Step {
  const [opened, opening] =
    next && course[next.device].opening === next.opening
      ? open(course, { [next.device]: next.id }, null)
      : ([course, []] as const)
  const [listing, listed] = list(opened)
  return [listing, [...effects, ...opening, ...listed]]
}

function ended(
  course: LocalMediaCourse,
  { device, opening }: Extract<LocalMediaEvent, { kind: 'ended' }>,
): Step {
  const { shown, opening: wanted } = course[device]
  if (shown.is !== 'on' || wanted !== opening) return [course, []]
  return [withProblem(course, device, 'missing'), [{ do: 'stop', device, opening }]]
}

function list(course: LocalMediaCourse): Step {
  const listing = course.lastListing + 1
  return [{ ...course, lastListing: listing }, [{ do: 'list-devices', listing }]]
}

const withProblem = (
  course: LocalMediaCourse,
  kind: DeviceKind,
  problem: MediaProblem,
): LocalMediaCourse => ({ ...course, [kind]: { shown: { is: 'problem', problem }, opening: null } })

/** Takes the same step for several devices, one after the other. */
function forEach(
  devices: readonly DeviceKind[],
  course: LocalMediaCourse,
  step: (course: LocalMediaCourse, kind: DeviceKind) => Step,
): Step {
  return devices.reduce<Step>(
    ([before, effects], kind) => {
      const [after, more] = step(before, kind)
      return [after, [...effects, ...more]]
    },
    [course, []],
  )
}
