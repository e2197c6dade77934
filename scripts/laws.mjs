/**
 * Checks the laws of CONTRIBUTING.md that need the syntax and the types of the code. Fails if one is broken, and says
 * where.
 */
import { TYPED } from './checks.mjs'
import { missingComments } from './laws/comments.mjs'
import { fixedSleeps } from './laws/fixed-sleeps.mjs'
import { floatingPromises } from './laws/floating-promises.mjs'
import { importDirections } from './laws/import-directions.mjs'
import { literalTexts } from './laws/literal-texts.mjs'
import { sources } from './laws/program.mjs'
import { repeatedLists } from './laws/repeated-lists.mjs'
import { textUse } from './laws/text-use.mjs'
import { main } from './workspace.mjs'

const texts = textUse()
const LAWS = [
  importDirections,
  floatingPromises,
  fixedSleeps,
  missingComments,
  literalTexts,
  texts.law,
  repeatedLists(),
]

await main(async () => {
  let broken = 0
  const report = (/** @type {import('./laws/program.mjs').Violation[]} */ violations) => {
    for (const { file, line, says } of violations) {
      broken++
      console.error(`${file}:${line}: ${says}`)
    }
  }
  for (const source of sources(TYPED)) {
    report(LAWS.flatMap((law) => law(source)).sort((one, other) => one.line - other.line))
  }
  report(texts.atEnd())
  if (broken > 0) console.error(`\n${broken} violations. CONTRIBUTING.md says what each law is for.`)
  return broken > 0 ? 1 : 0
})
