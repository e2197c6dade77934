import { describe, expect, test } from 'vitest'
import type { HlsPart } from '../../media/channel.ts'
import { LivePlaylist } from './live-playlist.ts'

/** A part of half a second, the first of four in its segment, or a later one. */
const at = (segment: number, part: number, fields: Partial<HlsPart> = {}): HlsPart => ({
  segment,
  part,
  offset: part * 100,
  length: 100,
  durationMs: 500,
  startedAt: Date.UTC(2030, 0, 1) + segment * 2000 + part * 500,
  isIndependent: part === 0,
  isLast: part === 3,
  ...fields,
})

function playlistOf(segments: number, parts = 4): LivePlaylist {
  const playlist = new LivePlaylist()
  for (let segment = 0; segment < segments; segment++) {
    const last = segment === segments - 1 ? parts : 4
    for (let part = 0; part < last; part++) playlist.add(at(segment, part))
  }
  return playlist
}

describe('a live playlist', () => {
  test('lists whole segments, the parts of the newest ones, and what comes next', () => {
    expect(playlistOf(2, 2).text()).toBe(`#EXTM3U
#EXT-X-VERSION:9
#EXT-X-TARGETDURATION:4
#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=1.65,HOLD-BACK=12
#EXT-X-PART-INF:PART-TARGET=0.55
#EXT-X-MEDIA-SEQUENCE:0
#EXT-X-INDEPENDENT-SEGMENTS
#EXT-X-MAP:URI="init.mp4"
#EXT-X-PROGRAM-DATE-TIME:2030-01-01T00:00:00.000Z
#EXT-X-PART:DURATION=0.50000,URI="0.0.m4s",INDEPENDENT=YES
#EXT-X-PART:DURATION=0.50000,URI="0.1.m4s"
#EXT-X-PART:DURATION=0.50000,URI="0.2.m4s"
#EXT-X-PART:DURATION=0.50000,URI="0.3.m4s"
#EXTINF:2.00000,
0.m4s
#EXT-X-PROGRAM-DATE-TIME:2030-01-01T00:00:02.000Z
#EXT-X-PART:DURATION=0.50000,URI="1.0.m4s",INDEPENDENT=YES
#EXT-X-PART:DURATION=0.50000,URI="1.1.m4s"
#EXT-X-PRELOAD-HINT:TYPE=PART,URI="1.2.m4s"
`)
  })

  test('lists ten segments, and keeps ten more for whoever is late', () => {
    const playlist = playlistOf(40)
    const text = playlist.text()
    expect(text).toContain('#EXT-X-MEDIA-SEQUENCE:30\n')
    expect(text.match(/#EXTINF/g)).toHaveLength(10)
    // Parts go from the playlist three target durations after them.
    expect(text.match(/#EXT-X-PART:/g)).toHaveLength(24)
    expect(playlist.bytesOf(20, null)).toEqual({ offset: 0, length: 400 })
    expect(playlist.bytesOf(19, null)).toBeUndefined()
  })

  test('has what was asked for once it is there, and a segment once it is complete', () => {
    const playlist = playlistOf(2, 2)
    expect([playlist.has(1, 1), playlist.has(1, 2), playlist.has(1, null), playlist.has(0, 99)]).toEqual([
      true,
      false,
      false,
      true,
    ])
    expect(playlist.bytesOf(1, 1)).toMatchObject({ offset: 100, length: 100 })
    expect(playlist.bytesOf(1, null)).toBeUndefined()
    // A keyframe came early: the segment had no more parts.
    playlist.add(at(2, 0))
    expect([playlist.has(1, null), playlist.has(1, 7)]).toEqual([true, true])
    expect(playlist.text()).toContain('#EXTINF:1.00000,\n1.m4s')
  })

  test('ends with the session, and whoever waits is answered', async () => {
    const playlist = playlistOf(1, 2)
    const changed = playlist.changed(60_000)
    playlist.end()
    await changed
    expect(playlist.has(99, null)).toBe(true)
    expect(playlist.text()).toMatch(/#EXTINF:1.00000,\n0.m4s\n#EXT-X-ENDLIST\n$/)
  })

  test('that has nothing yet is a playlist all the same', () => {
    const playlist = new LivePlaylist()
    expect([playlist.newest, playlist.has(0, 0)]).toEqual([null, false])
    expect(playlist.text()).toContain('URI="0.0.m4s"')
  })
})
