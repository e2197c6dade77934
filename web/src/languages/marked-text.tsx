import { Fragment, type ReactNode } from 'react'
import type { TextId } from './catalogs.ts'
import { t } from './texts.ts'

interface MarkedTextProps {
  id: TextId
  /** What stands in the places of the text: elements, such as a link, or plain names and numbers. */
  values: Readonly<Record<string, ReactNode>>
}

/** A text with elements inside. */
export function MarkedText({ id, values }: MarkedTextProps) {
  const plain = Object.entries(values).map(([name, value]) => [
    name,
    typeof value === 'string' || typeof value === 'number' ? value : `\0${name}\0`,
  ])
  return t(id, Object.fromEntries(plain))
    .split('\0')
    .map((part, index) => <Fragment key={part}>{index % 2 === 0 ? part : values[part]}</Fragment>)
}
