/** Valid names of a space: a label of a host name (RFC 1123, section 2.1), in lower case. */
export const SPACE_NAME = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

/**
 * The space of a host name: its first label, if the other labels are the service domain.
 * @param host value of a `Host` header, with or without port
 * @param serviceDomain in lower case; null when there are no spaces
 * @returns null when the host belongs to no space
 */
export function spaceOfHost(host: string, serviceDomain: string | null): string | null {
  if (serviceDomain === null) return null
  const name = host.toLowerCase().replace(/\.?(:\d*)?$/, '')
  const dot = name.indexOf('.')
  if (dot < 0 || name.slice(dot + 1) !== serviceDomain) return null
  const label = name.slice(0, dot)
  return SPACE_NAME.test(label) ? label : null
}
