/** A part of the room that is shown on request. */
export type PanelName = 'people' | 'layout' | 'playback'

/** The titles of the panels. */
export const panelTitles: Readonly<Record<PanelName, string>> = {
  people: 'People',
  layout: 'Layout',
  playback: 'Play a link',
}
