/** Names of layouts for people. A layout without an entry here is shown under its own name. */
const titles: Readonly<Record<string, string>> = {
  'grid-responsive': 'Grid',
  'grid-responsive-mobile': 'Grid for phones',
  'highlight-1-responsive': 'One large',
  '1x1': 'Only one',
  '2x1': 'Side by side',
  '5up': 'Five',
  '1up-top-left5': 'One and five',
  '1up-top-left7': 'One and seven',
  '1up-top-left9': 'One and nine',
  '1up-top-left16': 'One and sixteen',
  '1x1-2x1': 'One above two',
  'full-screen': 'Full screen',
  'screen-share': 'Shared screen',
  'presenter-dual-horizontal': 'Screen and presenter',
}

/** The name of a layout for people, such as “3 × 3”. */
export function layoutTitle(name: string): string {
  return titles[name] ?? name.replace(/^(\d+)x(\d+)$/, '$1 × $2')
}
