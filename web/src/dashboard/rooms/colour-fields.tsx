import { useId } from 'react'
import type { ConferenceColours } from '../../conference/theme.ts'
import { numberText } from '../../languages/formats.ts'
import { t } from '../../languages/texts.ts'
import { classNames } from '../../ui/class-names.ts'
import { Notice } from '../../ui/notice.tsx'
import { Card } from '../card.tsx'
import { ColourPreview } from './colour-preview.tsx'
import { colourWarnings } from './colour-warnings.ts'
import type { FormSchema } from './field-kind.ts'
import { fieldLabel } from './form-input.tsx'
import type { FormValues } from './form-values.ts'

interface ColourFieldsProps {
  form: FormSchema
  names: readonly string[]
  values: FormValues
  aboutField: (name: string) => string | null
  onChange: (name: string, value: string) => void
}

/** The colours of a conference in both themes, each beside how the page looks with them. */
export function ColourFields({ form, names, values, aboutField, onChange }: ColourFieldsProps) {
  const colours = values as ConferenceColours
  return (
    <Card title={t('rooms.group-colours')}>
      <div className="grid gap-6 md:grid-cols-2">
        {(['light', 'dark'] as const).map((theme) => (
          <fieldset key={theme} aria-label={t(`rooms.theme-${theme}`)} className="min-w-0 space-y-4">
            <ColourPreview theme={theme} colours={colours} />
            {names
              .filter((name) => name.startsWith(theme))
              .map((name) => {
                const field = form.fields[name]
                return (
                  field && (
                    <ColourField
                      key={name}
                      label={fieldLabel(name, field)}
                      value={values[name] ?? ''}
                      error={aboutField(name)}
                      onChange={(value) => onChange(name, value)}
                    />
                  )
                )
              })}
            {colourWarnings(colours, theme).map(({ field, ratio, shown }) => (
              <Notice
                key={field}
                tone="warning"
                title={t('rooms.hard-to-read', {
                  colour: labelOf(form, field),
                  ratio: numberText(ratio, { maximumFractionDigits: 1 }),
                })}
                hint={t('rooms.hard-to-read-hint', { colour: shown.toUpperCase() })}
              />
            ))}
          </fieldset>
        ))}
      </div>
    </Card>
  )
}

function labelOf({ fields }: FormSchema, name: string): string {
  const field = fields[name]
  return field ? fieldLabel(name, field) : name
}

interface ColourFieldProps {
  label: string
  value: string
  error: string | null
  onChange: (value: string) => void
}

/** A colour, chosen or typed. */
function ColourField({ label, value, error, onChange }: ColourFieldProps) {
  const id = useId()
  const isColour = /^#[0-9a-f]{6}$/i.test(value)
  return (
    <div>
      <div className="flex items-center gap-3">
        <input
          type="color"
          aria-label={t('rooms.choose-colour', { colour: label })}
          value={isColour ? value.toLowerCase() : '#000000'}
          onChange={(event) => onChange(event.target.value.toUpperCase())}
          className="size-11 shrink-0 cursor-pointer rounded-md border border-line-strong bg-surface p-1"
        />
        <label htmlFor={id} className="min-w-0 flex-1 text-sm font-medium">
          {label}
        </label>
        <input
          id={id}
          dir="ltr"
          value={value}
          onChange={(event) => onChange(event.target.value)}
          maxLength={7}
          spellCheck={false}
          aria-invalid={error ? true : undefined}
          aria-describedby={error ? `${id}-note` : undefined}
          className={classNames(
            'h-11 w-26 shrink-0 rounded-md border bg-surface px-3 font-mono text-sm text-ink',
            error ? 'border-danger' : 'border-line-strong',
          )}
        />
      </div>
      {error && (
        <p id={`${id}-note`} className="mt-1.5 text-sm text-danger-ink">
          {error}
        </p>
      )}
    </div>
  )
}
