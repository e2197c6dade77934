import { literal, option } from './option.ts'
import { days, integer } from './texts.ts'

const DAY_MS = 86_400_000

/** Webhooks. */
export const webhookOptions = {
  maxWebhooksPerProject: option(
    'PARLEY_MAX_WEBHOOKS_PER_PROJECT',
    'number',
    literal('20', 20),
    'Webhooks that one project may have; 0 for none.',
    integer(0, 10_000),
  ),
  webhookLogMs: option(
    'PARLEY_WEBHOOK_LOG_DAYS',
    'days',
    literal('14', 14 * DAY_MS),
    'How long deliveries to webhooks are kept: the log, and what waits.',
    days(2, 3650),
  ),
  webhookDisableAfterMs: option(
    'PARLEY_WEBHOOK_DISABLE_AFTER_DAYS',
    'days',
    literal('5', 5 * DAY_MS),
    'A webhook of which every attempt has failed for so long is disabled.',
    days(1, 3650),
  ),
}
