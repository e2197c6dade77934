/** A piece of HTML. Only {@link html} and {@link raw} make it, so that text is never taken for markup. */
export interface Html {
  readonly markup: string
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escaped = (text: string) => text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '')

/** Markup that this program made itself. */
export const raw = (markup: string): Html => ({ markup })

/** Template literals of HTML: text is escaped, pieces of HTML are put in as they are. */
export function html(
  strings: TemplateStringsArray,
  ...values: readonly (string | Html | readonly Html[])[]
): Html {
  const parts = values.map((value) => {
    if (typeof value === 'string') return escaped(value)
    return 'markup' in value ? value.markup : value.map(({ markup }) => markup).join('')
  })
  return raw(strings.map((text, index) => `${text}${parts[index] ?? ''}`).join(''))
}
