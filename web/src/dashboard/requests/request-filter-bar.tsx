import { useEffect, useRef, useState } from 'react'
import { t } from '../../languages/texts.ts'
import { Field } from '../../ui/field.tsx'
import { Select } from '../../ui/select.tsx'
import type { RequestFilters } from './request-queries.ts'

interface RequestFilterBarProps {
  filters: RequestFilters
  onMethod: (method: string) => void
  onStatus: (status: string) => void
  onText: (text: string) => void
}

const METHODS = ['GET', 'POST', 'PUT', 'DELETE']
const CLASSES = ['2xx', '3xx', '4xx', '5xx']
/** Typing pauses for this long before the list follows, in milliseconds. */
const PAUSE_MS = 300

/** What the log is filtered by. */
export function RequestFilterBar({ filters, onMethod, onStatus, onText }: RequestFilterBarProps) {
  const { method, status, text } = filters
  const any = { value: 'any', label: t('developers.any') }
  const chosen = (value: string) => (value === 'any' ? '' : value)
  return (
    <search className="mb-5 grid grid-cols-2 gap-3 sm:grid-cols-[minmax(0,1fr)_10rem_10rem]">
      <TextFilter text={text} onText={onText} />
      <Select
        label={t('developers.method')}
        value={METHODS.includes(method) ? method : 'any'}
        options={[any, ...METHODS.map((value) => ({ value, label: value }))]}
        onChange={(value) => onMethod(chosen(value))}
      />
      <Select
        label={t('developers.status')}
        value={status || 'any'}
        options={[any, ...CLASSES.map((value) => ({ value, label: value }))]}
        onChange={(value) => onStatus(chosen(value))}
      />
    </search>
  )
}

function TextFilter({ text, onText }: { text: string; onText: (text: string) => void }) {
  const [typed, setTyped] = useState(text)
  const change = useRef(onText)
  change.current = onText
  useEffect(() => {
    if (typed === text) return
    const timer = setTimeout(() => change.current(typed), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [typed, text])
  return (
    <Field
      className="col-span-2 sm:col-span-1"
      label={t('developers.text')}
      type="search"
      maxLength={200}
      placeholder={t('developers.text-placeholder')}
      value={typed}
      onChange={(event) => setTyped(event.target.value)}
    />
  )
}
