/**
 * An address of a stream as people may see it: the key, a password and the query are left out. Servers take the first
 * part of the path for the application, and the rest for the key.
 * @param url `rtmp:` or `rtmps:`; has been validated
 */
export function withoutKey(url: string): string {
  const [, protocol = '', authority = '', path = ''] = /^([a-z]+:)\/\/([^/?#]*)([^?#]*)/i.exec(url) ?? []
  const host = authority.slice(authority.lastIndexOf('@') + 1)
  const [, app = '', key] = path.split('/')
  return `${protocol.toLowerCase()}//${host}/${key === undefined ? '' : `${app}/`}…`
}
