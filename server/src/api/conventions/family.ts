import type { FastifyPluginAsync } from 'fastify'
import type { Services } from '../../services.ts'
import type { RateLimits } from './rate-limits.ts'

/** Input of every family of the API. */
export interface FamilyOptions {
  services: Services
  limits: RateLimits
  /** Signs page tokens. */
  pagingKey: Uint8Array
  /** URL where clients reach this server, as configured. Null means: take it from the request. */
  publicUrl: string | null
}

/** A family of operations below one path: a plugin of Fastify. */
export type Family = FastifyPluginAsync<FamilyOptions>
