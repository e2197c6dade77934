import { numberText } from '../../languages/formats.ts'
import { t } from '../../languages/texts.ts'
import { Card } from '../card.tsx'
import { StatusText } from '../method-badge.tsx'
import type { ConsoleAnswer } from './read-answer.ts'

/** The answer to a request: its status, its headers and its body. */
export function AnswerCard({
  answer: { status, headers, text, isCut, durationMs },
}: {
  answer: ConsoleAnswer
}) {
  return (
    <div role="status">
      <Card
        title={t('developers.answer')}
        aside={
          <span className="flex items-baseline gap-3 text-sm text-ink-soft tabular-nums">
            {t('developers.milliseconds', { ms: numberText(Math.round(durationMs)) })}
            <StatusText status={status} />
          </span>
        }
      >
        {text !== '' && (
          <pre
            // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard
            tabIndex={0}
            dir="ltr"
            className="max-h-[60dvh] overflow-auto rounded-md bg-sunken p-3 text-start font-mono text-xs leading-5"
          >
            {text}
          </pre>
        )}
        {isCut && <p className="mt-2 text-sm text-ink-soft">{t('developers.answer-cut')}</p>}
        <details className="mt-3 text-sm">
          <summary className="cursor-pointer rounded-sm py-1 text-ink-soft hover:text-ink">
            {t('developers.headers')}
          </summary>
          <dl dir="ltr" className="mt-2 space-y-1 text-start font-mono text-xs">
            {headers.map(([name, value]) => (
              <div key={name} className="break-all">
                <dt className="inline text-ink-soft">{name}: </dt>
                <dd className="inline">{value}</dd>
              </div>
            ))}
          </dl>
        </details>
      </Card>
    </div>
  )
}
