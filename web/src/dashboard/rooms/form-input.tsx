import { useId } from 'react'
import { t } from '../../languages/texts.ts'
import { layoutTitle } from '../../room/layout-title.ts'
import { classNames } from '../../ui/class-names.ts'
import { Field } from '../../ui/field.tsx'
import { Select } from '../../ui/select.tsx'
import { Switch } from '../../ui/switch.tsx'
import { type FieldSchema, fieldKind } from './field-kind.ts'
import { CHOICE_LABELS, FIELD_HINTS, FIELD_LABELS } from './field-texts.ts'

interface FormInputProps {
  name: string
  field: FieldSchema
  value: string
  isRequired: boolean
  isDisabled: boolean
  /** Why the value was not accepted. */
  error: string | null
  onChange: (value: string) => void
}

/** A field of the API, edited as its schema says. */
export function FormInput(props: FormInputProps) {
  const { name, field, value, isRequired, isDisabled, error, onChange } = props
  const label = fieldLabel(name, field)
  const hintId = FIELD_HINTS[name]
  const hint = hintId && t(hintId)
  const input = {
    label,
    value,
    error,
    hint,
    disabled: isDisabled,
    onChange: (event: { target: { value: string } }) => onChange(event.target.value),
  }
  switch (fieldKind(field)) {
    case 'switch':
      return (
        <Switch
          label={label}
          {...(hint ? { hint } : {})}
          checked={value === 'true'}
          onChange={(isOn) => onChange(String(isOn))}
        />
      )
    case 'maybe':
      return (
        <Select
          label={label}
          value={value || UNSET}
          disabled={isDisabled}
          options={[
            { value: UNSET, label: t('rooms.unset') },
            { value: 'true', label: t('rooms.on') },
            { value: 'false', label: t('rooms.off') },
          ]}
          onChange={(next) => onChange(next === UNSET ? '' : next)}
        />
      )
    case 'choice':
      return (
        <Select
          label={label}
          value={value || UNSET}
          disabled={isDisabled}
          options={choices(name, field, value)}
          onChange={(next) => onChange(next === UNSET ? '' : next)}
        />
      )
    case 'number':
      return <Field {...input} type="number" inputMode="numeric" min={field.minimum} max={field.maximum} />
    case 'moment':
      return <Field {...input} type="datetime-local" />
    case 'long-text':
      return <LongText {...input} rows={3} maxLength={field.maxLength} />
    case 'json':
      return <LongText {...input} rows={3} dir="ltr" isCode />
    default:
      return (
        <Field
          {...input}
          required={isRequired}
          maxLength={field.maxLength}
          autoComplete="off"
          {...(name === 'name' && { dir: 'ltr', autoCapitalize: 'none', spellCheck: false })}
        />
      )
  }
}

const UNSET = 'unset'

/** What a field is called. */
export function fieldLabel(name: string, { description }: FieldSchema): string {
  const id = FIELD_LABELS[name]
  return id ? t(id) : description.replace(/\.$/, '')
}

function choices(name: string, { enum: values = [], default: fallback }: FieldSchema, value: string) {
  const given = values.filter((one) => one !== null)
  // A room may have what no request can set.
  const all = value === '' || given.includes(value) ? given : [value, ...given]
  const offered = all.map((one) => ({ value: one, label: choiceLabel(name, one) }))
  return fallback === undefined ? [{ value: UNSET, label: t('rooms.unset') }, ...offered] : offered
}

function choiceLabel(name: string, value: string): string {
  if (name === 'layout') return layoutTitle(value)
  const id = CHOICE_LABELS[value]
  return id ? t(id) : value
}

interface LongTextProps {
  label: string
  value: string
  error: string | null
  hint: string | undefined
  disabled: boolean
  rows: number
  maxLength?: number | undefined
  dir?: 'ltr'
  isCode?: boolean
  onChange: (event: { target: { value: string } }) => void
}

function LongText({ label, error, hint, isCode = false, ...input }: LongTextProps) {
  const id = useId()
  const note = error || hint
  return (
    <div>
      <label htmlFor={id} className="mb-1.5 block text-sm font-medium text-ink">
        {label}
      </label>
      <textarea
        {...input}
        id={id}
        aria-invalid={error ? true : undefined}
        aria-describedby={note ? `${id}-note` : undefined}
        className={classNames(
          'block w-full resize-y rounded-md border bg-surface px-3 py-2 text-base text-ink',
          isCode && 'font-mono text-sm',
          error ? 'border-danger' : 'border-line-strong',
        )}
      />
      {note && (
        <p
          id={`${id}-note`}
          className={classNames('mt-1.5 text-sm', error ? 'text-danger-ink' : 'text-ink-soft')}
        >
          {note}
        </p>
      )}
    </div>
  )
}
