import { availableParallelism } from 'node:os'
import type { Checkup as CheckupRecord } from '../../dashboard/dashboard.ts'
import { Checkup, MediaWorkers } from '../../resources/dashboard.ts'
import { formatMoment } from '../../resources/dates.ts'
import { actorOf } from '../conventions/authentication.ts'
import { type Operation, operation } from '../conventions/operation.ts'
import { checkOperator } from './operator-only.ts'

const tag = 'Dashboard'

/** `/workers` and `/checkup`: the server as a whole, for those who operate it. */
export const serverOperations: Operation[] = [
  operation(
    {
      route: 'GET /workers',
      operationId: 'listMediaWorkers',
      summary: 'List media workers',
      description: 'Load and ports of the processes that do media. An addition of Parley.',
      tag,
      right: 'administer',
      answer: MediaWorkers,
    },
    async ({ projectId }, { dashboard, operatorProjectId }) => {
      checkOperator(projectId, { operatorProjectId })
      return {
        data: dashboard.workers().map(({ ports, state, load }) => ({
          first_port: ports.first,
          last_port: ports.last,
          state,
          cpu: load.cpu,
          event_loop_delay_ms: load.eventLoopDelayMs,
          rooms: load.rooms,
          legs: load.legs,
          overload_step: load.step,
        })),
        processors: availableParallelism(),
      }
    },
  ),

  operation(
    {
      route: 'GET /checkup',
      operationId: 'getCheckup',
      summary: 'Read the newest checkup',
      description:
        'What `parley doctor` says about this server. It is examined anew if the newest checkup is older than an hour. An addition of Parley.',
      tag,
      right: 'administer',
      answer: Checkup,
    },
    async ({ projectId }, { dashboard, operatorProjectId }) => {
      checkOperator(projectId, { operatorProjectId })
      return show(await dashboard.checkup(false))
    },
  ),

  operation(
    {
      route: 'POST /checkup',
      operationId: 'startCheckup',
      summary: 'Examine the server',
      description: 'Runs `parley doctor` now, which takes some seconds. An addition of Parley.',
      tag,
      right: 'administer',
      answer: Checkup,
    },
    async ({ projectId, caller }, { dashboard, operatorDesk, operatorProjectId }) => {
      checkOperator(projectId, { operatorProjectId })
      await operatorDesk.noteCheckup(projectId, actorOf(caller))
      return show(await dashboard.checkup(true))
    },
  ),
]

const show = ({ examinedAt, findings }: CheckupRecord) => ({
  examined_at: formatMoment(examinedAt),
  data: findings.map(({ advice = null, ...finding }) => ({ ...finding, advice })),
})
