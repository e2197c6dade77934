import { RadioGroup } from 'radix-ui'
import { useId } from 'react'

interface ChoiceProps<Value extends string> {
  label: string
  /** Screen readers read the label, but it is not shown. */
  labelHidden?: boolean
  value: Value
  options: readonly { value: Value; label: string }[]
  onChange: (value: Value) => void
}

/** A choice of one from a few short options, all of them visible. */
export function Choice<Value extends string>(props: ChoiceProps<Value>) {
  const { label, labelHidden = false, value, options, onChange } = props
  const id = useId()
  return (
    <div>
      <p id={id} className={labelHidden ? 'sr-only' : 'mb-1.5 text-sm font-medium text-ink'}>
        {label}
      </p>
      <RadioGroup.Root
        aria-labelledby={id}
        value={value}
        onValueChange={(next) => onChange(next as Value)}
        className="grid auto-cols-fr grid-flow-col gap-1 rounded-md bg-sunken p-1"
      >
        {options.map((option) => (
          <RadioGroup.Item
            key={option.value}
            value={option.value}
            className="h-9 rounded-sm px-3 text-sm font-medium text-ink-soft transition-colors hover:text-ink data-[state=checked]:bg-raised data-[state=checked]:text-ink data-[state=checked]:shadow-card"
          >
            {option.label}
          </RadioGroup.Item>
        ))}
      </RadioGroup.Root>
    </div>
  )
}
