import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Coturn, startCoturn } from '../../server/src/testing/coturn.ts'
import { run } from '../testing/commands.ts'
import { hears, seatsOf, seesEachInItsTile } from '../testing/seen-and-heard.ts'
import { GREEN, RED, useDeployment } from '../testing/use-deployment.ts'
import { WalledNetwork } from './walled-network.ts'

const network = await WalledNetwork.open()
const [serverAddress, turnAddress] = network.addresses
const directory = await mkdtemp(path.join(tmpdir(), 'parley-turn-'))
const coturn = await startTurnServer()
const home = path.join(directory, 'home')

afterAll(async () => {
  await coturn.stop()
  await network.close()
  await rm(directory, { recursive: true })
})

/** A TURN server as docs/operators.md has it: it sends to the media server, and to no other private address. */
async function startTurnServer(): Promise<Coturn> {
  const subject = ['-subj', '/CN=turn', '-addext', `subjectAltName=IP:${turnAddress}`]
  const certificate = { cert: path.join(directory, 'cert.pem'), key: path.join(directory, 'key.pem') }
  const files = ['-keyout', certificate.key, '-out', certificate.cert]
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  await run('openssl', ['req', '-x509', ...key, ...files, ...subject])
  return startCoturn({
    address: turnAddress,
    tlsPort: 443,
    certificate,
    more: [`--allowed-peer-ip=${serverAddress}`, '--denied-peer-ip=0.0.0.0-255.255.255.255'],
  })
}

/** Makes the home folder of somebody whose browser trusts the TURN server. */
beforeAll(async () => {
  const store = path.join(home, '.pki/nssdb')
  await mkdir(store, { recursive: true })
  await run('certutil', ['-N', '--empty-password', '-d', `sql:${store}`])
  const certificate = ['-n', 'turn', '-t', 'CP,,', '-i', path.join(directory, 'cert.pem')]
  await run('certutil', ['-A', '-d', `sql:${store}`, ...certificate])
})

describe.each(['libdatachannel', 'openssl'])('with media by %s', (transport) => {
  const deployment = useDeployment({
    name: `turn-${transport}`,
    env: {
      PARLEY_HOST: serverAddress,
      PARLEY_PORT: '443',
      PARLEY_PUBLIC_URL: `https://${serverAddress}`,
      PARLEY_ANNOUNCED_IP: serverAddress,
      PARLEY_RTC_TRANSPORT: transport,
      PARLEY_TURN_URLS: [
        `turn:${turnAddress}:${coturn.port}?transport=udp`,
        `turn:${turnAddress}:${coturn.port}?transport=tcp`,
        `turns:${turnAddress}:443?transport=tcp`,
      ].join(','),
      PARLEY_TURN_SECRET: coturn.secret,
    },
  })

  test('who may use TCP 443 alone meets who may use nothing but the relay', async () => {
    const room_name = deployment.roomName()
    const near = await deployment.enter(GREEN, { room_name }, { onlyRelay: true })
    const far = await deployment.enter(
      RED,
      { room_name },
      { namespace: network.namespace, home, whole: true },
    )
    const seats = seatsOf([
      [near, GREEN],
      [far, RED],
    ])
    await Promise.all([near, far].map((each) => seesEachInItsTile(each, seats)))
    await Promise.all([hears(near, [RED], [GREEN]), hears(far, [GREEN], [RED])])
    expect(await near.ask('chosenPath')).toEqual({ type: 'relay', protocol: 'udp' })
    expect(await far.ask('chosenPath')).toEqual({ type: 'relay', protocol: 'tls' })
  })
})
