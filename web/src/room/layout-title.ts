import type { TextId } from '../languages/catalogs.ts'
import { t } from '../languages/texts.ts'

/** Names of layouts for people. A layout without an entry here is shown under its own name. */
const titles: Readonly<Record<string, TextId>> = {
  'grid-responsive': 'meeting.layout-grid-responsive',
  'grid-responsive-mobile': 'meeting.layout-grid-responsive-mobile',
  'highlight-1-responsive': 'meeting.layout-highlight-1-responsive',
  '1x1': 'meeting.layout-1x1',
  '2x1': 'meeting.layout-2x1',
  '5up': 'meeting.layout-5up',
  '1up-top-left5': 'meeting.layout-1up-top-left5',
  '1up-top-left7': 'meeting.layout-1up-top-left7',
  '1up-top-left9': 'meeting.layout-1up-top-left9',
  '1up-top-left16': 'meeting.layout-1up-top-left16',
  '1x1-2x1': 'meeting.layout-1x1-2x1',
  'full-screen': 'meeting.layout-full-screen',
  'screen-share': 'meeting.layout-screen-share',
  'presenter-dual-horizontal': 'meeting.layout-presenter-dual-horizontal',
}

/** The name of a layout for people, such as “3 × 3”. */
export function layoutTitle(name: string): string {
  const title = titles[name]
  return title === undefined ? name.replace(/^(\d+)x(\d+)$/, '$1 × $2') : t(title)
}
