/**
 * CPU time of a room's sound: decoding, one mix for each speaker, one mix for all silent members, and encoding. Silent
 * members must cost almost nothing.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { AudioPull } from '../../server/src/media-worker/media-types.ts'
import { AudioMixer } from '../../server/src/media-worker/mixer/audio-mixer.ts'
import { ToneMicrophone } from '../../server/src/testing/media/tone-microphone.ts'
import { report } from '../report.ts'

const SECONDS = 20
const TICK_MS = 20
/**
 * Packets of one second of sound. They are made beforehand, because the microphones' encoders are not part of the room.
 */
const PACKETS = 50
const LIMIT = 1.5

function packetsOf(frequency: number): AudioPull[] {
  const microphone = new ToneMicrophone(frequency)
  const packets = Array.from({ length: PACKETS }, () => microphone.pull(0))
  microphone.close()
  return packets
}

/** @returns CPU cores in use */
async function mix(members: number, speaking: number): Promise<number> {
  const mixer = new AudioMixer({ onPacket: () => {}, onMix: () => {}, onTalking: () => {} })
  for (let index = 0; index < members; index++) {
    const memberId = `member ${index}`
    mixer.setMember({
      memberId,
      name: memberId,
      audioMuted: false,
      videoMuted: false,
      deaf: false,
      inputVolume: 0,
      outputVolume: 0,
      inputSensitivity: 44,
    })
    mixer.addListener(memberId, memberId)
    const packets = packetsOf(200 + 40 * index)
    let next = 0
    const silence: AudioPull = { kind: 'silence' }
    mixer.addSource(memberId, memberId, {
      pull: () => (index < speaking ? packets[next++ % PACKETS]! : silence),
    })
  }
  const run = (seconds: number, fromMs: number) => {
    for (let nowMs = fromMs; nowMs < fromMs + seconds * 1000; nowMs += TICK_MS) mixer.tick(nowMs)
  }
  // Lets the decoders start.
  await nextTurn()
  run(2, 0)
  const before = process.cpuUsage()
  run(SECONDS, 2000)
  const { user, system } = process.cpuUsage(before)
  mixer.stop()
  return (user + system) / 1e6 / SECONDS
}

const few = await mix(4, 4)
const many = await mix(100, 4)
report({ what: 'CPU, sound of 4 who speak', value: few, unit: 'cores' })
report({ what: 'CPU, sound of 20 who speak', value: await mix(20, 20), unit: 'cores' })
report({ what: 'CPU, sound of 100 of whom 4 speak', value: many, unit: 'cores' })
report({
  what: 'CPU, sound of 100 of whom 4 speak / of those 4 alone',
  value: many / few,
  limit: LIMIT,
  direction: 'at most',
})
