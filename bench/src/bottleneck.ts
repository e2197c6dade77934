/**
 * Measures what a viewer gets whose network carries 3, then 0.6, then 3 Mbit/s again, and what somebody else in the room notices. The
 * viewer's browser is in a network namespace behind a link of TUN devices. Needs root.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { busyCamera, WAY, WIDE, watchBottleneck } from '../../acceptance/network/bottleneck.ts'
import { LossyLink } from '../../acceptance/network/lossy-link.ts'
import { PARTICIPANTS } from '../../acceptance/testing/colours.ts'
import { freePort } from '../../acceptance/testing/server-process.ts'
import { onAServer } from '../on-a-server.ts'
import { report } from '../report.ts'

const [GREEN, RED] = PARTICIPANTS
const directory = await mkdtemp(path.join(tmpdir(), 'parley-bottleneck-'))
const link = await LossyLink.open()
const port = await freePort()
const env = {
  PARLEY_PORT: String(port),
  PARLEY_PUBLIC_URL: `https://${link.nearAddress}:${port}`,
  PARLEY_ANNOUNCED_IP: link.nearAddress,
}
try {
  await onAServer('bottleneck', env, async (stage) => {
    link.spoil(WAY, WIDE)
    const cameraFile = await busyCamera(directory)
    const near = await stage.prepare(
      await stage.launch(GREEN, { cameraFile, microphone: 'speech' }),
      'bottleneck',
    )
    await near.participant.joinAndAwaitFirstFrame(near.token)
    const browser = await stage.launch(RED, { namespace: link.namespace, withoutDevices: true })
    const far = await stage.prepare(browser, 'bottleneck', {}, { join_as: 'audience' })
    await far.participant.joinAndAwaitFirstFrame(far.token)
    const seen = await watchBottleneck(link, near.participant, far.participant)
    console.log(JSON.stringify(seen))
    const seconds = (ms: number) => Number((ms / 1000).toFixed(2))
    const down = 'way narrows from 3 to 0.6 Mbit/s: time until the picture is small'
    report({ what: down, value: seconds(seen.downAfterMs), unit: 's', limit: 3, direction: 'at most' })
    const up = 'way widens again: time until the picture is full'
    report({ what: up, value: seconds(seen.upAfterMs), unit: 's', limit: 60, direction: 'at most' })
    const pace = 'pictures while it is narrow'
    report({ what: pace, value: seen.framesPerSecond, unit: '/s', limit: 15, direction: 'at least' })
    const holes = 'speech made up while it is narrow, once the picture is small'
    report({ what: holes, value: 100 * seen.concealed, unit: '%', limit: 1, direction: 'at most' })
    const others = 'pictures that somebody else sees meanwhile'
    report({ what: others, value: seen.nearFramesPerSecond, unit: '/s', limit: 18, direction: 'at least' })
  })
} finally {
  await link.close()
  await rm(directory, { recursive: true })
}
