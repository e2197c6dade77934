/**
 * Whether an SDP offer brings a picture. The client also offers a video section that sends nothing when it adds a
 * microphone: the section then names no stream (`a=msid:-`, RFC 8829, section 5.2.1).
 */
export function offersVideo(offer: string): boolean {
  const [, ...sections] = offer.split(/^m=/m)
  return sections.some((section) => {
    if (!/^video [1-9]/.test(section)) return false
    if (/^a=(?:recvonly|inactive)\s*$/m.test(section)) return false
    const streams = [...section.matchAll(/^a=msid:(\S+)/gm)].map(([, stream]) => stream)
    return streams.length === 0 || streams.some((stream) => stream !== '-')
  })
}
