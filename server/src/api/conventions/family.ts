import type { FastifyPluginAsync } from 'fastify'
import type { Services } from '../../services.ts'
import type { RateLimits } from './rate-limits.ts'

/** What every family of the interface is made from. */
export interface FamilyOptions {
  services: Services
  limits: RateLimits
  /** Signs page tokens. */
  pagingKey: Uint8Array
  /** Where clients reach this server, as configured; null where that is as they say themselves. */
  publicUrl: string | null
}

/** A family of operations below one path: a plugin of Fastify. */
export type Family = FastifyPluginAsync<FamilyOptions>
