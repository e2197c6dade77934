import { t } from '../languages/texts.ts'
import { Field } from '../ui/field.tsx'

interface NewPasswordFieldProps {
  value: string
  onChange: (value: string) => void
  /** Why the server refused it. */
  error: string | null
}

/** A password that is chosen now. The server judges it. */
export function NewPasswordField({ value, onChange, error }: NewPasswordFieldProps) {
  return (
    <Field
      label={t('accounts.new-password')}
      hint={t('accounts.new-password-hint')}
      error={error}
      type="password"
      value={value}
      onChange={(event) => onChange(event.target.value)}
      dir="ltr"
      name="new-password"
      autoComplete="new-password"
      maxLength={1000}
    />
  )
}
