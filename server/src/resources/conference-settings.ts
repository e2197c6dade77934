import { boolean, color, oneOf } from './fields.ts'
import type { RecordOf } from './records.ts'

/** Maximum number of members for each size of a conference. */
export const CONFERENCE_SIZES = { small: 10, medium: 50, large: 300 } as const

const SIZES = Object.keys(CONFERENCE_SIZES) as (keyof typeof CONFERENCE_SIZES)[]

const settable = { set: ['conference'], shown: ['conference', 'invitation'] } as const

/** A colour of a theme. The published type allows null in answers. */
const themeColor = (fallback: string, description: string) =>
  color({ default: fallback, description, examples: [fallback], ...settable, nullable: ['conference'] })

/** Fields that a conference has in addition to those of a room. */
export const conferenceSettings = {
  size: oneOf(SIZES, {
    default: 'medium',
    description: 'Members at one time: small takes 10, medium 50, large 300.',
    ...settable,
    nullable: ['conference'],
    inAnswers: { default: 'medium' },
  }),
  enable_chat: boolean({ default: true, description: 'Participants can write to each other.', ...settable }),
  public_look: boolean({
    default: false,
    description:
      'Everybody who knows the name can read title, description, colours, times and state, without a link. An addition of this server.',
    set: ['conference'],
    shown: ['conference'],
  }),
  dark_primary: themeColor('#044EF4', 'Colour of the dark theme: main buttons and selected items.'),
  dark_background: themeColor('#FFFFFF', 'Colour of the dark theme: main background.'),
  dark_foreground: themeColor('#1D2127', 'Colour of the dark theme: text on the main background.'),
  dark_success: themeColor('#17BB58', 'Colour of the dark theme: what went well.'),
  dark_negative: themeColor('#F42C50', 'Colour of the dark theme: what went wrong.'),
  light_primary: themeColor('#044EF4', 'Colour of the light theme: main buttons and selected items.'),
  light_background: themeColor('#FFFFFF', 'Colour of the light theme: main background.'),
  light_foreground: themeColor('#1D2127', 'Colour of the light theme: text on the main background.'),
  light_success: themeColor('#17BB58', 'Colour of the light theme: what went well.'),
  light_negative: themeColor('#F42C50', 'Colour of the light theme: what went wrong.'),
}

/**
 * Fields that a conference has in addition to those of a room, as stored in the room's record. Colours are `#RRGGBB`.
 */
export type ConferenceSettings = RecordOf<typeof conferenceSettings>
