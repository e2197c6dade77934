import { Certificate } from './dtls/certificate.ts'
import { DtlsAssociation } from './dtls/dtls-association.ts'
import { parseFingerprint } from './dtls/fingerprint.ts'
import { Memory } from './memory.ts'
import { isAnswerRight, KNOWN_ANSWERS } from './srtp/known-answers.ts'
import { PROFILES } from './srtp/session-keys.ts'
import { SocketAddress } from './udp/socket-address.ts'
import { UdpSocket } from './udp/udp-socket.ts'

const DATAGRAMS = 10
const DATAGRAM_BYTES = 1200
const LAST_BYTES = 700
const ARRIVAL_TIMEOUT_MS = 1000
/** More than a handshake between two ends has. */
const MOST_DATAGRAMS_OF_HANDSHAKE = 50

/**
 * Tries whether this transport can serve here: published packets of every profile, a handshake with itself, and datagrams
 * sent together to itself.
 * @throws saying what failed
 */
export async function tryOpenSsl(): Promise<void> {
  for (const answer of KNOWN_ANSWERS) {
    if (!isAnswerRight(answer)) throw new Error(`${PROFILES[answer.profile].name} computes wrongly`)
  }
  tryHandshake()
  await trySending()
}

function tryHandshake(): void {
  const certificate = Certificate.create()
  const fingerprint = parseFingerprint(certificate.fingerprint)!
  const failures: string[] = []
  let connected = 0
  const end = (role: 'client' | 'server', sent: Buffer[]) =>
    new DtlsAssociation(role, certificate, fingerprint, {
      send: (memory, at, length) => sent.push(Buffer.from(memory.bytes.subarray(at, at + length))),
      onConnected: ({ sender, receiver }) => {
        connected++
        sender.close()
        receiver.close()
      },
      onEnd: (reason) => failures.push(reason),
    })
  const toServer: Buffer[] = []
  const toClient: Buffer[] = []
  const client = end('client', toServer)
  const server = end('server', toClient)
  server.start()
  client.start()
  for (let i = 0; i < MOST_DATAGRAMS_OF_HANDSHAKE && toServer.length + toClient.length > 0; i++) {
    for (const [to, datagrams] of [
      [server, toServer],
      [client, toClient],
    ] as const) {
      const datagram = datagrams.shift()
      if (datagram) to.receive(Memory.of(datagram), 0, datagram.length)
    }
  }
  for (const each of [client, server]) each.close()
  certificate.close()
  if (connected !== 2) throw new Error(`a DTLS handshake failed: ${failures[0] ?? 'it did not end'}`)
}

async function trySending(): Promise<void> {
  const lengths: number[] = []
  let onAll = (): void => {}
  const socket = UdpSocket.open(4, 0, '127.0.0.1', (_memory, _at, length) => {
    if (lengths.push(length) === DATAGRAMS) onAll()
  })
  if (typeof socket === 'string') throw new Error('no UDP port of this machine can be opened')
  let timer: NodeJS.Timeout | undefined
  try {
    const arrived = new Promise<boolean>((resolve) => {
      onAll = () => resolve(true)
      timer = setTimeout(() => resolve(false), ARRIVAL_TIMEOUT_MS)
    })
    const datagrams = new Memory((DATAGRAMS - 1) * DATAGRAM_BYTES + LAST_BYTES)
    const to = new SocketAddress('127.0.0.1', socket.port)
    socket.send(datagrams, 0, datagrams.length, DATAGRAM_BYTES, to)
    const isWhole = (await arrived) && lengths.at(-1) === LAST_BYTES
    if (!isWhole || !socket.usesSegmentation)
      throw new Error('the system cuts no datagrams (UDP segmentation offload)')
  } finally {
    clearTimeout(timer)
    socket.close()
  }
}
