import { isIP } from 'node:net'
import { availableParallelism } from 'node:os'
import { OVERLOAD_STEPS, type OverloadStep } from '../resources/overload-steps.ts'
import { absent, BadValue, literal, type Option, option } from './option.ts'
import { flag, integer, oneOf } from './texts.ts'

/** An inclusive range of UDP ports. One port has `first === last`. */
export interface PortRange {
  readonly first: number
  readonly last: number
}

/**
 * What carries the connections to browsers. `openssl`: DTLS and SRTP by the OpenSSL inside Node, an ICE agent of Parley's own,
 * and UDP by system calls.
 */
export type RtcTransport = 'libdatachannel' | 'openssl'

function ports(text: string): PortRange {
  const [, from, to] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(text) ?? []
  const first = Number(from)
  const last = Number(to ?? from)
  if (from === undefined || first < 1 || last > 65535 || first > last) {
    throw new BadValue('one port or a range of ports from 1 to 65535, such as 40000-40099')
  }
  return Object.freeze({ first, last })
}

function address(text: string): string {
  if (isIP(text) === 0) throw new BadValue('an IP address')
  return text
}

/** Media workers, and what they do. */
export const mediaOptions = {
  rtcPorts: option<PortRange>(
    'PARLEY_RTC_PORTS',
    'port or range',
    literal('40000-40099', Object.freeze({ first: 40000, last: 40099 })),
    'UDP ports for media. Each media worker needs one; with libdatachannel a second one, for browsers that hide their addresses.',
    ports,
  ),
  announcedIp: option(
    'PARLEY_ANNOUNCED_IP',
    'address',
    absent("(the machine's own addresses)"),
    'Address that browsers send media to, where the machine itself does not know it (behind NAT).',
    address,
  ) as Option<string | null>,
  rtcTransport: option<RtcTransport>(
    'PARLEY_RTC_TRANSPORT',
    'libdatachannel or openssl',
    {
      text: '(openssl on Linux, else libdatachannel)',
      value: () => (process.platform === 'linux' ? 'openssl' : 'libdatachannel'),
    },
    'Library of media connections. openssl (Linux only) is the OpenSSL inside Node. It sends packets in groups, for less CPU. Where it cannot serve, libdatachannel does.',
    oneOf('libdatachannel', 'openssl'),
  ),
  mediaWorkers: option(
    'PARLEY_MEDIA_WORKERS',
    'number',
    { text: '(number of cores)', value: () => Math.min(availableParallelism(), 64) },
    'Processes that carry media. Each carries several rooms.',
    integer(1, 64),
  ),
  realTime: option(
    'PARLEY_REAL_TIME',
    '1 or 0',
    literal('1', true),
    'Lets requests go before media, by real-time priority where the system permits it.',
    flag,
  ),
  overloadStep: option(
    'PARLEY_OVERLOAD_STEP',
    'step',
    literal('no-audience', 'no-audience' as OverloadStep),
    `The last step that media workers take while the machine has too much to do: ${OVERLOAD_STEPS.join(', ')}.`,
    oneOf(...OVERLOAD_STEPS),
  ),
  logLevel: option(
    'PARLEY_LOG_LEVEL',
    'level',
    literal('info', 'info'),
    'Least severe message that is logged: fatal, error, warn, info, debug, trace or silent.',
    oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
  ),
  fps: option<20 | 30>(
    'PARLEY_FPS',
    'number',
    literal('20', 20),
    'Frames per second of new rooms: 20 or 30.',
    (text) => (oneOf('20', '30')(text) === '20' ? 20 : 30),
  ),
}
