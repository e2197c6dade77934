import { describe, expect, test } from 'vitest'
import { allowedIn, allowedWith, isPinned, pinRequest } from './allowed.ts'
import { initialMeetingState, type MeetingState } from './meeting-state.ts'

const withRights = (permissions: readonly string[], part: Partial<MeetingState> = {}): MeetingState => ({
  ...initialMeetingState,
  selfId: 'ada',
  layout: 'grid-responsive',
  permissions,
  ...part,
})

describe('what a member may do in the room', () => {
  test('is nothing without permissions', () => {
    expect(Object.values(allowedIn(withRights([]))).some(Boolean)).toBe(false)
    for (const memberId of ['ada', 'bob']) {
      expect(Object.values(allowedWith(withRights([]), memberId)).some(Boolean)).toBe(false)
    }
  })

  test.each([
    ['room.set_layout', 'layouts'],
    ['room.recording', 'record'],
    ['room.playback', 'play'],
    ['room.playback_seek', 'seek'],
    ['room.prioritize_handraise', 'handsFirst'],
  ] as const)('with %s is %s', (permission, what) => {
    expect(allowedIn(withRights([permission]))[what]).toBe(true)
  })

  test('depends on what is so now', () => {
    const on = { hideVideoMuted: true, handsFirst: true, locked: true, nameLabels: false }
    for (const [what, begin, end] of [
      ['hideVideoMuted', 'room.hide_video_muted', 'room.show_video_muted'],
      ['locked', 'room.lock', 'room.unlock'],
    ] as const) {
      expect(allowedIn(withRights([begin]))[what]).toBe(true)
      expect(allowedIn(withRights([end]))[what]).toBe(false)
      expect(allowedIn(withRights([begin], { settings: on }))[what]).toBe(false)
      expect(allowedIn(withRights([end], { settings: on }))[what]).toBe(true)
    }
    expect(allowedIn(withRights(['room.self.raisehand'])).hand).toBe(true)
    expect(allowedIn(withRights(['room.self.raisehand'], { hands: ['ada'] })).hand).toBe(false)
    expect(allowedIn(withRights(['room.self.lowerhand'], { hands: ['ada'] })).hand).toBe(true)
  })
})

describe('what a member may do with a person', () => {
  test('needs the permission for others, or the one for oneself', () => {
    const state = withRights(['room.member.audio_mute', 'room.member.remove', 'room.self.set_position'])
    expect(allowedWith(state, 'bob')).toMatchObject({
      mute: true,
      remove: true,
      position: false,
      demote: false,
    })
    expect(allowedWith(state, 'ada')).toMatchObject({ mute: false, remove: false, position: true })
  })

  test('lowers only a raised hand', () => {
    const rights = ['room.member.lowerhand']
    expect(allowedWith(withRights(rights), 'bob').lowerHand).toBe(false)
    expect(allowedWith(withRights(rights, { hands: ['bob'] }), 'bob').lowerHand).toBe(true)
  })
})

describe('a pin', () => {
  const all = ['room.member.set_position', 'room.set_layout', 'room.set_position']

  test('takes the large place of the layout, or a layout that has one', () => {
    expect(pinRequest(withRights(all, { layout: 'full-screen' }), 'bob')).toEqual({
      position: 'reserved-1',
      layout: null,
    })
    expect(pinRequest(withRights(all), 'bob')).toEqual({
      position: 'reserved-1',
      layout: 'highlight-1-responsive',
    })
  })

  test('takes the first place if the layout may not be changed', () => {
    const rights = ['room.member.set_position']
    expect(pinRequest(withRights(rights), 'bob')).toEqual({ position: 'standard-1', layout: null })
    expect(pinRequest(withRights(rights), 'ada')).toBeNull()
    expect(pinRequest(withRights(['room.set_layout']), 'bob')).toBeNull()
  })

  test('is a place that was asked for by name', () => {
    const isPin = (requestedPosition: string) => isPinned({ requestedPosition })
    expect(['reserved-1', 'standard-12'].map(isPin)).toEqual([true, true])
    expect(['auto', 'full-screen', 'off-canvas', 'playback'].map(isPin)).toEqual([false, false, false, false])
  })
})
