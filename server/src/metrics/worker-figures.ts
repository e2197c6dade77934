import type { WorkerLoad } from '../media/channel.ts'
import type { MediaWorkerState } from '../media/media-plane.ts'
import { OVERLOAD_STEPS } from '../resources/overload-steps.ts'
import type { Figure } from './figure.ts'

/** The figures of each media worker, by its number. */
export function workerFigures(workers: readonly MediaWorkerState[]): Figure[] {
  const each =
    (type: 'gauge' | 'counter', unit: (name: string) => string) =>
    (name: string, help: string, figure: (load: WorkerLoad) => number): Figure => ({
      name: unit(`media_worker_${name}`),
      help,
      type,
      samples: workers.map(({ load }, index) => ({
        value: figure(load),
        labels: { worker: String(index) },
      })),
    })
  const now = each('gauge', (name) => name)
  const total = each('counter', (name) => `${name}_total`)
  return [
    {
      name: 'media_worker_ready',
      help: 'Whether the media worker can carry rooms: 0 or 1.',
      type: 'gauge',
      samples: workers.map(({ state }, index) => ({
        value: Number(state === 'ready'),
        labels: { worker: String(index) },
      })),
    },
    now('cpu_cores', 'Processor time that it uses, in cores.', ({ cpu }) => cpu),
    now(
      'spare_cpu_cores',
      'Processor time of the machine that nobody uses, in cores.',
      ({ spareCpu }) => spareCpu,
    ),
    now('loop_busy_ratio', 'Share of the time in which its packet loop was busy.', ({ loop }) => loop),
    now(
      'loop_delay_seconds',
      'Longest wait of its packet loop in the last second.',
      ({ eventLoopDelayMs }) => eventLoopDelayMs / 1000,
    ),
    now(
      'pictures_left_out_ratio',
      'Share of the composed pictures for which there was no time.',
      ({ picturesLeftOut }) => picturesLeftOut,
    ),
    now('overload_step', `What it gives up at present: ${stepsInWords()}.`, ({ step }) =>
      OVERLOAD_STEPS.indexOf(step),
    ),
    now('rooms', 'Rooms that it mixes.', ({ rooms }) => rooms),
    now('legs', 'Connections of browsers that it serves.', ({ legs }) => legs),
    total('packets_received', 'Media packets from browsers.', ({ packets }) => packets.received),
    total('packets_lost', 'Media packets from browsers that never came.', ({ packets }) => packets.lost),
    total(
      'packets_repaired',
      'Media packets from browsers that the network lost and that came by repetition.',
      ({ packets }) => packets.repaired,
    ),
    total('packets_sent', 'Media packets to browsers.', ({ packets }) => packets.sent),
    total(
      'packets_sent_again',
      'Media packets to browsers that were repeated because they asked for it.',
      ({ packets }) => packets.sentAgain,
    ),
    total(
      'packets_reported',
      'Media packets to browsers of which they reported whether they came.',
      ({ packets }) => packets.reported,
    ),
    total(
      'packets_reported_lost',
      'Media packets to browsers that they reported as missing.',
      ({ packets }) => packets.reportedLost,
    ),
    total(
      'pictures',
      'Composed pictures, also those that needed no encode.',
      ({ pictures }) => pictures.made,
    ),
    total(
      'pictures_late',
      'Composed pictures that were left out because there was no time.',
      ({ pictures }) => pictures.leftOut,
    ),
    total('encodes', 'Encodes of composed pictures.', ({ pictures }) => pictures.encodes),
    total('encode_seconds', 'Time that encodes took.', ({ pictures }) => pictures.encodeSeconds),
  ]
}

const stepsInWords = () => OVERLOAD_STEPS.map((step, index) => `${index} ${step}`).join(', ')
