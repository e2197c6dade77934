const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** A text as the value of an HTML attribute in double quotes. */
const attribute = (text: string): string => text.replace(/[&<>"]/g, (sign) => ENTITIES[sign] ?? sign)

/** The code that shows a conference in a page of another site (docs/embedding.md). @param origin of this server */
export const embedCode = (origin: string, token: string): string =>
  [
    `<script src="${attribute(origin)}/embed.js"></script>`,
    `<parley-conference token="${attribute(token)}">`,
    '</parley-conference>',
  ].join('\n')
