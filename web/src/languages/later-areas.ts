// Whoever shows other texts than those of a guest shows other screens: their styles come along.
import '../later.css'

/** The files of all areas but that of a guest. */
export const laterAreas = import.meta.glob<Record<string, string>>(['./*/*.json', '!./guest/*.json'], {
  import: 'default',
})
