/** The parts of an RTMP address that the publisher is told. */
export interface RtmpAddress {
  /** What the server knows as its application: one or two components of the path. */
  app: string
  /** What is published: the rest of the path with the query; mostly the customer's key. Empty where the path ends before. */
  streamName: string
  /** `user:password@`, or empty. */
  credentials: string
  /** The address up to the application, as the server is to see it. */
  tcUrl: string
}

/**
 * Takes an address apart as publishers do (FFmpeg's `rtmpproto.c`, `rtmp_open`), but for the query, which belongs to the
 * name whatever is in it.
 * @param url `rtmp:` or `rtmps:` with a host; has been validated
 */
export function readRtmpAddress(url: string): RtmpAddress {
  const [, protocol = 'rtmp', authority = '', rest = ''] =
    /^([a-z]+):\/\/([^/?#]*)\/?([^#]*)/i.exec(url) ?? []
  const at = authority.lastIndexOf('@') + 1
  const [credentials, host] = [authority.slice(0, at), authority.slice(at)]
  const [path = '', ...query] = rest.split(/(?=\?)/)
  const { app, streamName } = splitPath(path)
  return {
    app,
    streamName: streamName + query.join(''),
    credentials,
    tcUrl: `${protocol.toLowerCase()}://${host}/${app}`,
  }
}

/** `app/name`, `app/instance/name`, where a name with a colon (`mp4:name`) begins behind the first slash. */
function splitPath(path: string): { app: string; streamName: string } {
  const first = path.indexOf('/')
  if (first < 0) return { app: path, streamName: '' }
  const second = path.indexOf('/', first + 1)
  const colon = path.indexOf(':', first + 1)
  const end = second < 0 || (colon >= 0 && colon < second) ? first : second
  return { app: path.slice(0, end), streamName: path.slice(end + 1) }
}
