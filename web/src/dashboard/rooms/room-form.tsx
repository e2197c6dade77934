import { type FormEvent, useState } from 'react'
import { ApiError } from '../../api/api-error.ts'
import { apiErrorText } from '../../api/error-text.ts'
import { t } from '../../languages/texts.ts'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Card } from '../card.tsx'
import { ColourFields } from './colour-fields.tsx'
import type { FormSchema } from './field-kind.ts'
import { type FormGroup, formGroups } from './form-groups.ts'
import { FormInput } from './form-input.tsx'
import { changedFields, type FormValues, UnreadableValue } from './form-values.ts'

interface RoomFormProps {
  form: FormSchema
  initial: FormValues
  /** What is sent is what differs from this; by default from `initial`. */
  defaults?: FormValues
  /** Whether the name can be chosen. It stays for ever. */
  isNew: boolean
  /** Whether the person may only look. */
  isLocked?: boolean
  action: string
  busy: boolean
  error: Error | null
  onSubmit: (body: object) => void
}

/** All settings of a room or conference, as the API document lists them. */
export function RoomForm(props: RoomFormProps) {
  const { form, initial, defaults = initial, isNew, isLocked = false, action, busy, error, onSubmit } = props
  const [values, setValues] = useState(initial)
  const [unreadable, setUnreadable] = useState<string | null>(null)
  const names = Object.keys(form.fields)
  const { groups, colours } = formGroups(names)
  const aboutField = (name: string) => {
    if (unreadable === name) return t('rooms.unreadable')
    return error instanceof ApiError ? error.about(name) : null
  }
  const isAboutFields = names.some((name) => aboutField(name) !== null)
  const problem = error && !isAboutFields ? apiErrorText(error) : null
  const change = (name: string, value: string) => setValues((present) => ({ ...present, [name]: value }))

  function submit(event: FormEvent): void {
    event.preventDefault()
    try {
      setUnreadable(null)
      onSubmit(changedFields(form, values, defaults))
    } catch (thrown) {
      if (!(thrown instanceof UnreadableValue)) throw thrown
      setUnreadable(thrown.field)
    }
  }

  const card = ({ title, fields }: FormGroup) => (
    <Card key={title} title={t(title)}>
      <div className="space-y-4.5">{fields.map(input)}</div>
    </Card>
  )

  function input(name: string) {
    const field = form.fields[name]
    return (
      field && (
        <FormInput
          key={name}
          name={name}
          field={field}
          value={values[name] ?? ''}
          isRequired={form.required.includes(name)}
          isDisabled={isLocked || (name === 'name' && !isNew)}
          error={aboutField(name)}
          onChange={(value) => change(name, value)}
        />
      )
    )
  }

  return (
    <form onSubmit={submit} noValidate>
      <fieldset disabled={isLocked} className="min-w-0 space-y-5">
        <div className="grid items-start gap-5 lg:grid-cols-2">
          <div className="space-y-5">{groups.slice(0, -1).map(card)}</div>
          {groups.slice(-1).map(card)}
        </div>
        {colours.length > 0 && (
          <ColourFields
            form={form}
            names={colours}
            values={values}
            aboutField={aboutField}
            onChange={change}
          />
        )}
        {problem && <Notice tone="danger" title={problem.title} hint={problem.hint} />}
        {isAboutFields && (
          <Notice tone="danger" title={t('rooms.not-saved')} hint={t('rooms.not-saved-hint')} />
        )}
        {!isLocked && (
          <Button kind="primary" type="submit" busy={busy} className="w-full sm:w-auto">
            {action}
          </Button>
        )}
      </fieldset>
    </form>
  )
}
