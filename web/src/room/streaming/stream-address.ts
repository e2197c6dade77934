/** Whether a text is an address that the server can stream to. The server judges it again. */
export function isStreamAddress(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, pathname } = new URL(text)
  return ['rtmp:', 'rtmps:'].includes(protocol) && hostname !== '' && pathname.length > 1
}
