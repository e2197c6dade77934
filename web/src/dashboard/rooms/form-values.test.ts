import { expect, test } from 'vitest'
import { type FormSchema, fieldKind } from './field-kind.ts'
import { changedFields, formValues, UnreadableValue } from './form-values.ts'

const nullable = (type: string) => ['null', type]
const schema: FormSchema = {
  required: ['title'],
  fields: {
    title: { type: 'string', maxLength: 200, description: 'Title.' },
    about: { type: nullable('string'), maxLength: 3000, description: 'About.' },
    seats: { type: nullable('integer'), default: 20, description: 'Seats.' },
    quiet: { type: nullable('boolean'), default: false, description: 'Quiet.' },
    sync: { type: nullable('boolean'), description: 'In step.' },
    size: {
      type: nullable('string'),
      enum: ['small', 'large', null],
      default: 'small',
      description: 'Size.',
    },
    opens: { type: nullable('string'), format: 'date-or-date-time', description: 'Opens.' },
    colour: {
      type: nullable('string'),
      pattern: '^#[0-9a-fA-F]{6}$',
      default: '#FFFFFF',
      description: 'Colour.',
    },
    meta: { type: nullable('object'), description: 'Anything.' },
  },
}

test('each field is edited as its schema says', () => {
  expect(Object.values(schema.fields).map(fieldKind)).toEqual([
    'text',
    'long-text',
    'number',
    'switch',
    'maybe',
    'choice',
    'moment',
    'colour',
    'json',
  ])
})

test('a new resource begins with the defaults, and sends what is required and what was set', () => {
  const before = formValues(schema, null)
  expect(before).toMatchObject({
    title: '',
    seats: '20',
    quiet: 'false',
    sync: '',
    size: 'small',
    colour: '#FFFFFF',
  })
  const values = {
    ...before,
    title: ' Board ',
    quiet: 'true',
    sync: 'false',
    opens: '2030-01-31T10:30',
    meta: '{"a":1}',
  }
  expect(changedFields(schema, values, before)).toEqual({
    title: 'Board',
    quiet: true,
    sync: false,
    opens: new Date(2030, 0, 31, 10, 30).toISOString(),
    meta: { a: 1 },
  })
})

test('what is edited comes back as it is, to the second; an emptied field is null', () => {
  const resource = {
    title: 'Board',
    about: 'x',
    seats: 3,
    opens: '2030-01-31T10:30:07Z',
    meta: { b: [1] },
    other: 1,
  }
  const before = formValues(schema, resource)
  expect(changedFields(schema, before, before)).toEqual({ title: 'Board' })
  const opens = new Date(before.opens ?? '').toISOString()
  expect(opens).toBe('2030-01-31T10:30:07.000Z')
  expect(changedFields(schema, { ...before, about: ' ', seats: '' }, before)).toEqual({
    title: 'Board',
    about: null,
    seats: null,
  })
})

test('what is no JSON is not sent', () => {
  const before = formValues(schema, null)
  expect(() => changedFields(schema, { ...before, meta: '{' }, before)).toThrow(UnreadableValue)
})
