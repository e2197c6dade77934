/**
 * Resident memory of the mixers of a running room of four members, without transport and API: cameras of 360p, a
 * picture of 720p, a separate sound for each member, and a recording.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { AudioMixer } from '../../server/src/media-worker/mixer/audio-mixer.ts'
import { VideoMixer } from '../../server/src/media-worker/mixer/video-mixer.ts'
import { Recording } from '../../server/src/media-worker/outputs/recording.ts'
import { ColourCamera } from '../../server/src/testing/media/colour-camera.ts'
import { ToneMicrophone } from '../../server/src/testing/media/tone-microphone.ts'
import { report } from '../report.ts'

const ROOMS = 5
const MEMBERS = ['a', 'b', 'c', 'd']
const SECONDS = 10
const QUARTER = 50

const microphones = MEMBERS.map((_, index) => new ToneMicrophone(300 + 100 * index))

/** @returns a function that ends the room */
async function fillRoom(file: string): Promise<() => Promise<void>> {
  let recording: Recording | null = null
  const video = new VideoMixer({
    width: 1280,
    height: 720,
    fps: 20,
    onFrame: (frame) => recording?.writeVideo(frame),
    onKeyframeWanted: () => {},
  })
  const audio = new AudioMixer({
    onPacket: () => {},
    onMix: (pcm, capturedAtMs) => recording?.writeMix(pcm, capturedAtMs),
    onTalking: () => {},
  })
  video.setH264Enabled(true)
  video.setTiles(
    MEMBERS.map((memberId, index) => ({
      memberId,
      x: QUARTER * (index % 2),
      y: QUARTER * (index >> 1),
      width: QUARTER,
      height: QUARTER,
    })),
  )
  recording = await Recording.start({
    recordingId: file,
    file,
    width: 1280,
    height: 720,
    fps: 20,
    requestKeyframe: () => video.requestKeyframe('H264'),
    onFailed: (reason) => {
      throw new Error(reason)
    },
  })
  const cameras = MEMBERS.map(() => new ColourCamera('VP8', 640, 360, { y: 120, u: 100, v: 150 }))
  for (const [index, memberId] of MEMBERS.entries()) {
    const member = {
      memberId,
      name: memberId,
      audioMuted: false,
      videoMuted: false,
      deaf: false,
      inputVolume: 0,
      outputVolume: 0,
      inputSensitivity: 44,
    }
    video.setMember(member)
    audio.setMember(member)
    audio.addListener(memberId, memberId)
    audio.addSource(memberId, memberId, microphones[index]!)
  }
  // Lets the microphones' decoders start.
  await nextTurn()
  for (let tick = 0; tick < SECONDS * 50; tick++) {
    const nowMs = tick * 20
    audio.tick(nowMs)
    if (tick % 5 > 1) continue
    for (const [index, memberId] of MEMBERS.entries())
      video.pushFrame(memberId, cameras[index]!.capture(nowMs))
    video.tick(nowMs)
  }
  for (const camera of cameras) camera.close()
  return async () => {
    await recording.stop()
    video.stop()
    audio.stop()
  }
}

const residentMiB = () => process.memoryUsage.rss() / 1024 / 1024

const folder = await mkdtemp(path.join(tmpdir(), 'mixer-memory-'))
try {
  const ends = [await fillRoom(path.join(folder, 'first.mp4'))]
  const first = residentMiB()
  for (let room = 0; room < ROOMS; room++) ends.push(await fillRoom(path.join(folder, `${room}.mp4`)))
  const perRoom = (residentMiB() - first) / ROOMS
  for (const end of ends) await end()
  report({ what: 'resident, the mixers of a further room of four', value: perRoom, unit: 'MiB' })
} finally {
  for (const microphone of microphones) microphone.close()
  await rm(folder, { recursive: true })
}
