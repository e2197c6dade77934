import { randomUUID } from 'node:crypto'
import type { Deployment } from '../testing/use-deployment.ts'
import type { ThreeNodes } from './three-nodes.ts'

/**
 * The nodes behind their balancer, as the tools for pages know a deployment. It has no server and opens no participants.
 * @param all asked at each use, because the nodes start later
 */
export const asDeployment = (all: () => ThreeNodes): Deployment =>
  ({
    get access() {
      return all().access
    },
    get rest() {
      return all().rest
    },
    roomName: () => `room-${randomUUID().slice(0, 8)}`,
  }) as unknown as Deployment
