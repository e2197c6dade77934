import type { TextId } from '../../languages/catalogs.ts'

/** A part of the form. */
export interface FormGroup {
  title: TextId
  fields: readonly string[]
}

const BASICS = ['name', 'display_name', 'description', 'size', 'max_members', 'quality', 'layout']
const TIMES = ['join_from', 'join_until', 'remove_at', 'remove_after_seconds_elapsed']
const isColour = (name: string) => /^(light|dark)_/.test(name)

/** Sorts the fields of a form into its parts. Those that nobody thought of are in the part of what happens in the room. */
export function formGroups(names: readonly string[]): {
  groups: readonly FormGroup[]
  colours: readonly string[]
} {
  const known = [...BASICS, ...TIMES]
  const present = (fields: readonly string[]) => fields.filter((name) => names.includes(name))
  return {
    groups: [
      { title: 'rooms.group-basics', fields: present(BASICS) },
      { title: 'rooms.group-times', fields: present(TIMES) },
      {
        title: 'rooms.group-meeting',
        fields: names.filter((name) => !known.includes(name) && !isColour(name)),
      },
    ],
    colours: names.filter(isColour),
  }
}
