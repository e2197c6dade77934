import { shower } from '../../resources/answers.ts'
import { eventFields } from '../../resources/event.ts'

/** Shows an event of the history of a session or a recording. */
export const showEvent = shower(eventFields, 'event')
