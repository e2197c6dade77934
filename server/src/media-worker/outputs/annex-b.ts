const NAL_TYPE_SPS = 7
const NAL_TYPE_PPS = 8

/**
 * Length of the SPS and PPS at the start of a keyframe in Annex B (ITU-T H.264 annex B, table 7-1), start codes included.
 * A file keeps them in its header, and its samples begin after them.
 */
export function endOfParameterSets(data: Buffer): number {
  let at = 0
  for (;;) {
    const start = startCodeLength(data, at)
    if (start === 0) return at
    const type = (data[at + start] ?? 0) & 0x1f
    if (type !== NAL_TYPE_SPS && type !== NAL_TYPE_PPS) return at
    const next = data.indexOf(START_CODE, at + start)
    if (next < 0) return data.length
    // A fourth byte, 0, in front of the start code belongs to it.
    at = data[next - 1] === 0 ? next - 1 : next
  }
}

const START_CODE = Buffer.from([0, 0, 1])

function startCodeLength(data: Buffer, at: number): 0 | 3 | 4 {
  if (data[at] !== 0 || data[at + 1] !== 0) return 0
  if (data[at + 2] === 1) return 3
  return data[at + 2] === 0 && data[at + 3] === 1 ? 4 : 0
}
