import type { TextId } from '../languages/catalogs.ts'

/** A part of the room that is shown on request. */
export type PanelName = 'chat' | 'people' | 'layout' | 'playback' | 'stream' | 'language'

/** The titles of the panels. */
export const panelTitles = {
  chat: 'chat.title',
  people: 'meeting.panel-people',
  layout: 'meeting.panel-layout',
  stream: 'panels.stream',
  playback: 'meeting.panel-playback',
  language: 'guest.language',
} as const satisfies Readonly<Record<PanelName, TextId>>
