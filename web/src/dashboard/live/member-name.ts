import { t } from '../../languages/texts.ts'
import type { LiveMember } from './live-queries.ts'

/** The name of somebody, or of a screen that is shared. */
export const memberName = ({ name, type }: LiveMember): string =>
  type === 'screen' ? t('live.screen-of', { name }) : name
