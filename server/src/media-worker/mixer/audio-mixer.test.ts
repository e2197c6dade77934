import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, expect, test, vi } from 'vitest'
import type { MemberMedia } from '../../media/channel.ts'
import { memberMedia } from '../../testing/media/member-media.ts'
import { join, TestListener, toneAmplitude } from '../../testing/media/test-listener.ts'
import { ToneMicrophone } from '../../testing/media/tone-microphone.ts'
import { AudioMixer, type AudioMixerOptions } from './audio-mixer.ts'

vi.setConfig({ testTimeout: 60_000 })

const cleanUps: (() => void)[] = []
afterEach(() => {
  for (const cleanUp of cleanUps.splice(0)) cleanUp()
})

/** What counts as heard, and as not heard, of a tone of amplitude .3. */
const HEARD = 0.2
const UNHEARD = 0.01

class TestRoom {
  nowMs = 5000
  readonly mixer: AudioMixer
  readonly listeners = new Map<string, TestListener>()
  readonly microphones = new Map<string, ToneMicrophone>()
  readonly talking: string[] = []
  readonly mix: Float32Array[] = []
  readonly mixTimes: number[] = []

  constructor(options: Partial<AudioMixerOptions> = {}) {
    this.mixer = new AudioMixer({
      onPacket: (listenerId, packet) => this.listeners.get(listenerId)?.hear(packet),
      onMix: (pcm, capturedAtMs) => {
        this.mix.push(Float32Array.from(pcm))
        this.mixTimes.push(capturedAtMs)
      },
      onTalking: (memberId, talking) => this.talking.push(`${memberId} ${talking ? 'talks' : 'stops'}`),
      ...options,
    })
    cleanUps.push(() => {
      this.mixer.stop()
      for (const listener of this.listeners.values()) listener.close()
      for (const microphone of this.microphones.values()) microphone.close()
    })
  }

  set(memberId: string, changes: Partial<MemberMedia> = {}): void {
    this.mixer.setMember(memberMedia(memberId, changes))
  }

  join(memberId: string, frequency: number | null, changes: Partial<MemberMedia> = {}): void {
    this.set(memberId, changes)
    this.listen(memberId, memberId)
    if (frequency !== null) this.speak(memberId, memberId, new ToneMicrophone(frequency))
  }

  listen(listenerId: string, memberId: string, talksBack = true): void {
    this.listeners.set(listenerId, new TestListener())
    this.mixer.addListener(listenerId, memberId, talksBack)
  }

  speak(sourceId: string, memberId: string, microphone: ToneMicrophone): void {
    this.microphones.set(sourceId, microphone)
    this.mixer.addSource(sourceId, memberId, microphone)
  }

  microphone(sourceId: string): ToneMicrophone {
    return this.microphones.get(sourceId)!
  }

  async run(ticks: number): Promise<void> {
    // For decoders that were made just now.
    await nextTurn()
    for (let tick = 0; tick < ticks; tick++) {
      this.mixer.tick(this.nowMs)
      this.nowMs += 20
    }
  }

  /** Amplitude of a tone in the last 400 ms of what a listener was sent. */
  heard(listenerId: string, frequency: number): number {
    return toneAmplitude(this.listeners.get(listenerId)!.last(400), frequency)
  }

  /** Whether the latest packet of a listener came when silence had begun already, and no later than silence allows. */
  tellsOfSilence(listenerId: string): boolean {
    const { timestamps, lastBytes } = this.listeners.get(listenerId)!
    const sinceMs = this.nowMs - 5000 - timestamps.at(-1)! / 48
    return sinceMs <= 420 && lastBytes < 60
  }

  recorded(frequency: number): number {
    return toneAmplitude(join(this.mix.slice(-20)), frequency)
  }
}

test('each hears all others and not itself, the recording hears all', async () => {
  const room = new TestRoom()
  const tones = new Map([
    ['a', 440],
    ['b', 700],
    ['c', 1100],
  ])
  for (const [memberId, frequency] of tones) room.join(memberId, frequency)
  room.join('silent', null)
  await room.run(40)
  for (const listener of room.listeners.keys())
    for (const [speaker, frequency] of tones) {
      const amplitude = room.heard(listener, frequency)
      if (speaker === listener) expect(amplitude, `${listener} hears itself`).toBeLessThan(UNHEARD)
      else expect(amplitude, `${listener} hears ${speaker}`).toBeGreaterThan(HEARD)
    }
  for (const frequency of tones.values()) expect(room.recorded(frequency)).toBeGreaterThan(HEARD)
})

test('mute, deaf and both volumes work on the server', async () => {
  const room = new TestRoom()
  room.join('a', 440)
  room.join('b', 700)
  await room.run(30)
  expect(room.heard('b', 440)).toBeGreaterThan(HEARD)

  room.set('a', { audioMuted: true })
  await room.run(30)
  expect(room.heard('b', 440)).toBeLessThan(UNHEARD)
  expect(room.heard('a', 700)).toBeGreaterThan(HEARD)

  room.set('a', { deaf: true })
  await room.run(30)
  expect(room.heard('b', 440)).toBeGreaterThan(HEARD)
  expect(room.heard('a', 700)).toBeLessThan(UNHEARD)
  expect(room.tellsOfSilence('a')).toBe(true)

  room.set('a', { inputVolume: -10 })
  room.set('b', { outputVolume: -10 })
  await room.run(30)
  // 6 dB for each.
  expect(20 * Math.log10(room.heard('b', 440) / 0.3)).toBeCloseTo(-12, 0)
  expect(room.recorded(440)).toBeGreaterThan(0.13)

  room.set('a', { inputVolume: -50 })
  await room.run(30)
  expect(room.heard('b', 440)).toBeLessThan(UNHEARD)
})

test('a sensitivity of 0 hears nothing, 1 hears everything', async () => {
  const room = new TestRoom()
  room.join('a', 440)
  room.join('b', null)
  await room.run(30)
  expect(room.talking).toEqual(['a talks'])
  room.set('a', { inputSensitivity: 0 })
  await room.run(30)
  expect(room.heard('b', 440)).toBeLessThan(UNHEARD)
  expect(room.recorded(440)).toBeLessThan(UNHEARD)
  expect(room.talking).toEqual(['a talks', 'a stops'])
  room.set('a', { inputSensitivity: 1 })
  await room.run(30)
  expect(room.heard('b', 440)).toBeGreaterThan(HEARD)
})

test('a member on hold is neither heard nor recorded, and hears silence, until it is back', async () => {
  const room = new TestRoom()
  room.join('a', 440)
  room.join('b', 700)
  await room.run(30)
  room.set('a', { held: true })
  await room.run(30)
  expect(room.heard('b', 440)).toBeLessThan(UNHEARD)
  expect(room.recorded(440)).toBeLessThan(UNHEARD)
  expect(room.recorded(700)).toBeGreaterThan(HEARD)
  expect(room.heard('a', 700)).toBeLessThan(UNHEARD)
  expect(room.tellsOfSilence('a')).toBe(true)
  expect(room.talking.filter((what) => what.startsWith('a'))).toEqual(['a talks', 'a stops'])
  room.set('a')
  await room.run(30)
  expect(room.heard('b', 440)).toBeGreaterThan(HEARD)
  expect(room.heard('a', 700)).toBeGreaterThan(HEARD)
})

test('a person does not hear its own screen share or second device, others do', async () => {
  const room = new TestRoom()
  room.join('a', 440)
  room.join('b', null)
  room.set('screen', { parentMemberId: 'a' })
  room.speak('screen', 'screen', new ToneMicrophone(900))
  room.speak('second microphone', 'a', new ToneMicrophone(1300))
  await room.run(40)
  for (const frequency of [440, 900, 1300]) {
    expect(room.heard('a', frequency)).toBeLessThan(UNHEARD)
    expect(room.heard('b', frequency)).toBeGreaterThan(HEARD)
  }
})

test('all who are silent get the very same packets, a speaker its own', async () => {
  const packets = new Map<string, Buffer[]>()
  const room = new TestRoom({
    onPacket: (listenerId, { payload }) => {
      packets.set(listenerId, [...(packets.get(listenerId) ?? []), Buffer.from(payload)])
    },
  })
  room.join('speaker', 440)
  room.join('other', 700)
  for (let index = 0; index < 20; index++) room.join(`silent ${index}`, null)
  await room.run(20)
  for (let index = 1; index < 20; index++)
    expect(packets.get(`silent ${index}`)).toEqual(packets.get('silent 0'))
  expect(packets.get('speaker')).toHaveLength(20)
  expect(packets.get('speaker')).not.toEqual(packets.get('silent 0'))
})

test('a room in which nobody speaks sends few packets, and the first word at once', async () => {
  const room = new TestRoom()
  room.join('a', 440)
  room.join('b', null)
  room.set('a', { audioMuted: true })
  await room.run(100)
  // 200 ms as always, the one that says so, then one in 400 ms.
  expect(room.listeners.get('b')?.timestamps.length).toBeLessThanOrEqual(16)
  expect(room.heard('b', 440)).toBeLessThan(UNHEARD)
  room.set('a')
  const silent = room.listeners.get('b')!.timestamps.length
  await room.run(30)
  expect(room.listeners.get('b')!.timestamps.length - silent).toBeGreaterThanOrEqual(29)
  expect(room.heard('b', 440)).toBeGreaterThan(HEARD)
})

test('who cannot talk back gets packets of 60 ms, with the same sound', async () => {
  const room = new TestRoom()
  room.join('a', 440)
  room.listen('audience', 'audience', false)
  room.set('audience')
  await room.run(45)
  const listener = room.listeners.get('audience')!
  expect(listener.timestamps).toEqual(Array.from({ length: 15 }, (_, index) => index * 2880))
  expect(room.heard('audience', 440)).toBeGreaterThan(HEARD)
  // A tick is left out: the packet begins anew.
  await room.run(1)
  room.nowMs += 40
  await room.run(3)
  expect(listener.timestamps.at(-1)).toBe(48 * 960)
  // It may speak now.
  room.mixer.addListener('audience', 'audience', true)
  await room.run(10)
  expect(listener.timestamps.slice(-10)).toEqual(Array.from({ length: 10 }, (_, index) => (51 + index) * 960))
})

test('stamps packets on a grid of 960 and with the time of the tick, gaps included', async () => {
  const room = new TestRoom()
  room.join('a', null)
  await room.run(3)
  room.nowMs += 500
  await room.run(2)
  expect(room.listeners.get('a')?.timestamps.map((timestamp) => timestamp / 960)).toEqual([0, 1, 2, 28, 29])
  expect(room.mixTimes).toEqual([5000, 5020, 5040, 5560, 5580])
})

test('many loud voices together are limited without clipping', async () => {
  const room = new TestRoom()
  for (let index = 0; index < 12; index++) {
    room.set(`m${index}`)
    room.speak(`m${index}`, `m${index}`, new ToneMicrophone(300 + 70 * index, 0.9))
  }
  await room.run(100)
  const mix = join(room.mix)
  let steepest = 0
  for (let index = 1; index < mix.length; index++) {
    expect(Math.abs(mix[index]!)).toBeLessThan(1)
    steepest = Math.max(steepest, Math.abs(mix[index]! - mix[index - 1]!))
  }
  // A wrapped or hard-clipped sample would jump by far more than these frequencies can.
  expect(steepest).toBeLessThan(0.5)
  for (let index = 0; index < 12; index++) expect(room.recorded(300 + 70 * index)).toBeGreaterThan(0.03)
})

test('says who talks, on change only, and that it stops 300 ms later', async () => {
  const room = new TestRoom()
  room.join('a', 440)
  room.microphone('a').amplitude = 0.001
  await room.run(20)
  expect(room.talking).toEqual([])
  room.microphone('a').amplitude = 0.2
  await room.run(20)
  expect(room.talking).toEqual(['a talks'])
  room.microphone('a').sending = 'silence'
  await room.run(14)
  expect(room.talking).toEqual(['a talks'])
  await room.run(2)
  expect(room.talking).toEqual(['a talks', 'a stops'])
  room.microphone('a').sending = 'packet'
  await room.run(10)
  room.set('a', { audioMuted: true })
  await room.run(1)
  expect(room.talking).toEqual(['a talks', 'a stops', 'a talks', 'a stops'])
  await room.run(50)
  expect(room.talking).toHaveLength(4)
})

test('input sensitivity decides what counts as talking', async () => {
  const room = new TestRoom()
  room.join('deaf ear', 440, { inputSensitivity: 1 })
  room.join('fine ear', 700, { inputSensitivity: 100 })
  for (const microphone of room.microphones.values()) microphone.amplitude = 0.01
  await room.run(20)
  expect(room.talking).toEqual(['fine ear talks'])
})

test('a short loss is concealed, with or without redundancy', async () => {
  for (const kind of ['lost', 'fec'] as const) {
    const room = new TestRoom()
    room.join('a', 440)
    room.join('b', null)
    await room.run(30)
    room.microphone('a').sending = kind
    await room.run(1)
    room.microphone('a').sending = 'packet'
    const gap = room.mix.at(-1)!
    expect(Math.max(...gap), kind).toBeGreaterThan(0.1)
    await room.run(30)
    expect(room.heard('b', 440)).toBeGreaterThan(HEARD)
  }
})

test('survives thousands of corrupt packets and decodes the next good ones', async () => {
  const room = new TestRoom()
  room.join('listener', null)
  const microphone = new ToneMicrophone(440)
  let index = 0
  room.set('a')
  room.mixer.addSource('a', 'a', {
    pull: (nowMs) => {
      const pull = microphone.pull(nowMs)
      if (index++ >= 4000 || pull.kind !== 'packet') return pull
      const { payload } = pull
      if (index % 4 === 0) return { ...pull, payload: payload.subarray(0, index % (payload.length + 1)) }
      for (let hit = 0; hit < 1 + (index % 5); hit++)
        payload[(index * (hit + 7)) % payload.length] = (index * 31 * (hit + 1)) & 255
      return pull
    },
  })
  // A broken packet may claim to be up to 120 ms long, for which none is pulled.
  while (index < 4000) await room.run(1)
  for (const pcm of room.mix)
    for (const sample of pcm) if (!(Math.abs(sample) < 1)) throw new Error(`sample ${sample}`)
  await room.run(60)
  expect(room.heard('listener', 440)).toBeGreaterThan(HEARD)
  microphone.close()
})

test('plays a tone to everybody and into the recording, but not to the deaf', async () => {
  const room = new TestRoom()
  room.join('a', null)
  room.join('deaf', null, { deaf: true })
  await room.run(10)
  const heardOf = (listener: string, frequency: number, ticks: number) =>
    toneAmplitude(room.listeners.get(listener)!.last(ticks * 20), frequency)
  room.mixer.playTone('entry')
  // First the lower note, then the higher one.
  for (const [frequency, ticks] of [
    [587.33, 6],
    [880, 8],
  ] as const) {
    await room.run(ticks)
    expect(heardOf('a', frequency, ticks)).toBeGreaterThan(0.02)
    expect(toneAmplitude(join(room.mix.slice(-ticks)), frequency)).toBeGreaterThan(0.02)
    expect(heardOf('deaf', frequency, ticks)).toBeLessThan(0.001)
  }
  await room.run(10)
  expect(heardOf('a', 880, 5)).toBeLessThan(0.001)
  room.mixer.playTone('exit')
  await room.run(6)
  expect(toneAmplitude(join(room.mix.slice(-6)), 880)).toBeGreaterThan(
    toneAmplitude(join(room.mix.slice(-6)), 587.33),
  )
})

test('plays no tone in a room without tones', async () => {
  const room = new TestRoom({ tones: false })
  room.join('a', null)
  room.mixer.playTone('entry')
  await room.run(6)
  expect(toneAmplitude(join(room.mix.slice(-6)), 587.33)).toBe(0)
})

test('a listener that reports losses gets redundancy, others do not pay for it', async () => {
  const room = new TestRoom()
  room.join('speaker', 440)
  room.join('clean', null)
  room.join('lossy', null)
  // Speech-like: what libopus's redundancy is made for.
  room.microphone('speaker').listen = (pcm, capturedAtMs) => {
    for (let index = 0; index < pcm.length; index++) {
      const seconds = capturedAtMs / 1000 + index / 48_000
      const syllable = Math.max(0, Math.sin(2 * Math.PI * 4 * seconds))
      let sample = 0
      for (let harmonic = 1; harmonic < 12; harmonic++)
        sample += Math.sin(2 * Math.PI * 130 * harmonic * seconds) / harmonic
      pcm[index] = 0.2 * syllable * sample
    }
  }
  room.mixer.setExpectedLoss('lossy', 20)
  await room.run(150)
  const bytes = (listener: string) => room.listeners.get(listener)!.bytes
  expect(bytes('lossy')).not.toBe(bytes('clean'))
  room.mixer.setExpectedLoss('lossy', 0)
  await room.run(1)
  // One good report changes nothing, five do.
  const before = room.mixer
  for (let report = 0; report < 5; report++) before.setExpectedLoss('lossy', 0)
  const clean = bytes('clean')
  const lossy = bytes('lossy')
  await room.run(50)
  expect(bytes('lossy') - lossy).toBe(bytes('clean') - clean)
})

test('a muted sender is drained but not decoded, and is heard at once when unmuted', async () => {
  const room = new TestRoom()
  room.join('a', 440, { audioMuted: true })
  room.join('b', null)
  let pulls = 0
  const microphone = room.microphone('a')
  room.mixer.addSource('a', 'a', {
    pull: (nowMs) => {
      pulls++
      return microphone.pull(nowMs)
    },
  })
  await room.run(50)
  expect(pulls).toBe(50)
  room.set('a')
  await room.run(25)
  expect(room.heard('b', 440)).toBeGreaterThan(HEARD)
})

test('takes packets of other lengths than its ticks', async () => {
  const room = new TestRoom()
  room.join('b', null)
  room.set('a')
  const microphone = new ToneMicrophone(440)
  let pulls = 0
  // A code 3 packet of three frames (RFC 6716 section 3.2.5): 60 ms, so that two of three ticks need nothing new.
  room.mixer.addSource('a', 'a', {
    pull: (nowMs) => {
      pulls++
      const frames = [0, 1, 2]
        .map(() => microphone.pull(nowMs))
        .flatMap((pull) => (pull.kind === 'packet' ? [pull.payload] : []))
      const sizes = frames.slice(0, 2).flatMap(({ length }) => frameLength(length - 1))
      const toc = (frames[0]![0]! & 0xfc) | 3
      const payload = Buffer.concat([
        Buffer.from([toc, 0x80 | 3, ...sizes]),
        ...frames.map((frame) => frame.subarray(1)),
      ])
      return { kind: 'packet', payload, capturedAtMs: null }
    },
  })
  await room.run(60)
  expect(pulls).toBe(20)
  expect(room.heard('b', 440)).toBeGreaterThan(HEARD)
  microphone.close()
})

/** RFC 6716 section 3.2.1. */
function frameLength(bytes: number): number[] {
  return bytes < 252 ? [bytes] : [252 + (bytes & 3), (bytes - 252 - (bytes & 3)) >> 2]
}

test('takes calls in any order, for unknown members, and after the end', async () => {
  const room = new TestRoom()
  room.mixer.removeSource('nothing')
  room.mixer.removeListener('nobody')
  room.mixer.removeMember('nobody')
  room.mixer.setExpectedLoss('nobody', 50)
  room.listen('stranger', 'unknown member')
  room.speak('stranger', 'unknown member', new ToneMicrophone(440))
  await room.run(30)
  // It hears silence, and is not heard.
  expect(room.tellsOfSilence('stranger')).toBe(true)
  expect(room.recorded(440)).toBeLessThan(UNHEARD)
  room.set('unknown member')
  await room.run(30)
  expect(room.recorded(440)).toBeGreaterThan(HEARD)
  room.mixer.removeMember('unknown member')
  await room.run(30)
  expect(room.recorded(440)).toBeLessThan(UNHEARD)
  room.mixer.stop()
  room.mixer.stop()
  room.mixer.addSource('x', 'x', room.microphone('stranger'))
  await room.run(1)
})

test('listeners and the mixer itself can go from within a callback', () => {
  const heard: string[] = []
  const mixer: AudioMixer = new AudioMixer({
    onPacket: (listenerId) => {
      heard.push(listenerId)
      if (heard.length === 2) mixer.removeListener(listenerId)
      if (heard.length === 4) mixer.stop()
    },
    onTalking: () => {},
  })
  for (const id of ['a', 'b']) mixer.addListener(id, id)
  for (let tick = 0; tick < 5; tick++) mixer.tick(tick * 20)
  expect(heard).toEqual(['a', 'b', 'a', 'a'])
})

test('ticks by itself, 50 times a second', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const times: number[] = []
  const mixer = new AudioMixer({
    onPacket: () => {},
    onMix: (_pcm, capturedAtMs) => {
      times.push(capturedAtMs)
      if (times.length === 26) resolve()
    },
    onTalking: () => {},
  })
  cleanUps.push(() => mixer.stop())
  const startedMs = performance.now()
  mixer.start()
  await promise
  expect(performance.now() - startedMs).toBeGreaterThan(480)
  // Where the machine stopped for longer than is made up for, ticks are left out, but never moved.
  for (const time of times) expect(Math.abs(((time - times[0]! + 10) % 20) - 10)).toBeLessThan(1e-6)
})
