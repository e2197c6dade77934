import { Recording } from '../../media-worker/outputs/recording.ts'
import { timePasses } from '../time-passes.ts'
import { ColourCamera } from './colour-camera.ts'
import { HEIGHT, TestRoom, WIDTH } from './test-room.ts'
import { ToneMicrophone } from './tone-microphone.ts'

/**
 * A process that records a member into the file of its first argument. It prints how many milliseconds of the room have
 * passed since the start, until it is killed or its recording fails. The room runs up to ten times as fast as the
 * clock. The event loop is idle for at least as long as it is busy, because files are written between its turns, one
 * packet per turn, and a room of a real worker never runs faster than that.
 */
const file = process.argv[2]
if (!file) throw new Error('which file?')

const room = new TestRoom()
const camera = new ColourCamera('VP8', 320, 180, { y: 81, u: 90, v: 240 })
room.setMember('a')
room.setTiles([{ memberId: 'a', x: 0, y: 0, width: 100, height: 100 }])
room.audio.addSource('a', 'a', new ToneMicrophone(440))
let frames = 0
room.onMillisecond = (nowMs) => {
  if (nowMs % 33 === 0)
    room.pushFrame(
      'a',
      camera.capture(nowMs, (picture) =>
        picture.fill({ y: 16 + (frames++ % 200), u: 128, v: 128 }, { x: 0, y: 0, width: 160, height: 90 }),
      ),
    )
}

const recording = await Recording.start({
  recordingId: 'killed',
  file,
  width: WIDTH,
  height: HEIGHT,
  fps: 20,
  requestKeyframe: () => room.video.requestKeyframe('H264'),
  onFailed: (reason, result) => {
    process.stdout.write(`${JSON.stringify({ reason, result })}\n`)
    process.exit(0)
  },
})
room.recording = recording
const startMs = room.nowMs
for (;;) {
  const begunAtMs = performance.now()
  room.run(100)
  process.stdout.write(`${room.nowMs - startMs}\n`)
  await timePasses(Math.max(10, performance.now() - begunAtMs), 'files are written')
}
