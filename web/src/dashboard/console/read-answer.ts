/** An answer as the console shows it. */
export interface ConsoleAnswer {
  status: number
  headers: [name: string, value: string][]
  /** JSON with line breaks where it is JSON. */
  text: string
  /** Whether the rest was left out, because it is long. */
  isCut: boolean
  durationMs: number
}

/** Characters of an answer that are shown: more would hold up the page. */
const SHOWN_MAX_LENGTH = 200_000

/** Reads an answer to its end. */
export async function readAnswer(sent: Promise<Response>): Promise<ConsoleAnswer> {
  const begun = performance.now()
  const response = await sent
  const text = pretty(await response.text())
  return {
    status: response.status,
    headers: [...response.headers],
    text: text.slice(0, SHOWN_MAX_LENGTH),
    isCut: text.length > SHOWN_MAX_LENGTH,
    durationMs: performance.now() - begun,
  }
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
