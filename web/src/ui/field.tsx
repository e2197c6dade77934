import { type ComponentProps, type ReactNode, useId } from 'react'
import { classNames } from './class-names.ts'

interface FieldProps extends Omit<ComponentProps<'input'>, 'id'> {
  label: string
  /** The problem with the value. It replaces the hint. */
  error?: string | null
  hint?: ReactNode
}

/** One line of text with its label, and a hint or a problem below it. */
export function Field({ label, error, hint, className, ...input }: FieldProps) {
  const id = useId()
  const noteId = `${id}-note`
  const note = error || hint
  return (
    <div className={className}>
      <label htmlFor={id} className="mb-1.5 block text-sm font-medium text-ink">
        {label}
      </label>
      <input
        {...input}
        id={id}
        aria-invalid={error ? true : undefined}
        aria-describedby={note ? noteId : undefined}
        className={classNames(
          'h-11 w-full rounded-md border bg-surface px-3 text-base text-ink placeholder:text-ink-soft/75',
          'focus-visible:outline-offset-0',
          error ? 'border-danger' : 'border-line-strong',
        )}
      />
      {note && (
        <p id={noteId} className={classNames('mt-1.5 text-sm', error ? 'text-danger-ink' : 'text-ink-soft')}>
          {note}
        </p>
      )}
    </div>
  )
}
