import type { Config } from '../config.ts'

/**
 * The names that the server needs certificates for, each of its own: a name that fails keeps no other from getting one.
 * The first is that of the server, which clients without a name get too.
 * @param spaces the spaces in use
 */
export function acmeNames(
  { publicUrl, serviceDomain }: Pick<Config, 'publicUrl' | 'serviceDomain'>,
  spaces: readonly string[],
): string[] {
  const server = publicUrl === null ? [] : [new URL(publicUrl).hostname]
  const domain =
    serviceDomain === null ? [] : [serviceDomain, ...spaces.map((space) => `${space}.${serviceDomain}`)]
  return [...new Set([...server, ...domain])]
}
