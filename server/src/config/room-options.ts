import { absent, literal, option } from './option.ts'
import { flag, integer, seconds } from './texts.ts'

/** Limits and habits of rooms. */
export const roomOptions = {
  sessionGraceMs: option(
    'PARLEY_SESSION_GRACE_SECONDS',
    'seconds',
    literal('10', 10_000),
    'How long a session goes on after the last member has left.',
    seconds(0, 86_400),
  ),
  reconnectGraceMs: option(
    'PARLEY_RECONNECT_GRACE_SECONDS',
    'seconds',
    literal('30', 30_000),
    'How long a member whose connection dropped keeps its seat.',
    seconds(0, 3600),
  ),
  maxAudience: option(
    'PARLEY_MAX_AUDIENCE',
    'number',
    literal('1000', 1000),
    'Audience that one session admits besides its members.',
    integer(0, 1_000_000),
  ),
  seatsPerToken: option<number | null>(
    'PARLEY_SEATS_PER_TOKEN',
    'number',
    absent('(any number)'),
    'Seats that one room token or conference token fills at once.',
    integer(1, 1_000_000),
  ),
  speakersTakePlaces: option(
    'PARLEY_SPEAKERS_TAKE_PLACES',
    '1 or 0',
    literal('1', true),
    'If a layout has fewer places than members: whether somebody without a place who speaks for 2 s gets that of the member who has been silent for longest.',
    flag,
  ),
  roomChat: option(
    'PARLEY_ROOM_CHAT',
    '1 or 0',
    literal('1', true),
    'Whether those in a room may write to each other. Each conference says it by `enable_chat`.',
    flag,
  ),
  maxStreamsPerRoom: option(
    'PARLEY_MAX_STREAMS_PER_ROOM',
    'number',
    literal('5', 5),
    'Streams that one room or conference may have.',
    integer(0, 1000),
  ),
  maxPlaybacksPerRoom: option(
    'PARLEY_MAX_PLAYBACKS_PER_ROOM',
    'number',
    literal('2', 2),
    'Files and live transmissions that are played into one room or conference at a time; 0 for none.',
    integer(0, 100),
  ),
}
