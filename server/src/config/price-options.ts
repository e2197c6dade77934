import { BadValue, literal, option } from './option.ts'

function price(text: string): number {
  if (!/^\d{1,6}(\.\d{1,9})?$/.test(text)) throw new BadValue('a number of dollars such as 0.004')
  return Number(text)
}

/** Prices, for statistics. */
export const priceOptions = {
  pricePerMemberMinute720p: option(
    'PARLEY_PRICE_MEMBER_MINUTE_720P',
    'dollars',
    literal('0', 0),
    'Price of one member for one minute in a 720p room.',
    price,
  ),
  pricePerMemberMinute1080p: option(
    'PARLEY_PRICE_MEMBER_MINUTE_1080P',
    'dollars',
    literal('0', 0),
    'Price of one member for one minute in a 1080p room.',
    price,
  ),
  pricePerRecordedMinute: option(
    'PARLEY_PRICE_RECORDED_MINUTE',
    'dollars',
    literal('0', 0),
    'Price of one recorded minute.',
    price,
  ),
  pricePerStreamedMinute: option(
    'PARLEY_PRICE_STREAMED_MINUTE',
    'dollars',
    literal('0', 0),
    'Price of one streamed minute.',
    price,
  ),
}
