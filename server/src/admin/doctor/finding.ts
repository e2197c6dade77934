import type { Clock } from '../../clock.ts'
import type { Config } from '../../config.ts'

/** Result of an examination. */
export interface Finding {
  status: 'ok' | 'warning' | 'failed'
  /** Name of the examined thing, in two or three words. */
  subject: string
  /** The observation. */
  detail: string
  /** Advice for the operator. Absent when the status is `ok`. */
  advice?: string
}

/** Input of the examinations. */
export interface Patient {
  config: Config
  env: Readonly<Record<string, string | undefined>>
  clock: Clock
}

/** One examination. An exception counts as failed. */
export interface Examination {
  subject: string
  examine(patient: Patient): Promise<Finding[]>
}

/** @param subject what was examined @param detail what was found, such as a version */
export const ok = (subject: string, detail: string): Finding => ({ status: 'ok', subject, detail })

/** The server runs, but something may go wrong. @param advice what to do, a sentence */
export const warning = (subject: string, detail: string, advice: string): Finding => ({
  status: 'warning',
  subject,
  detail,
  advice,
})

/** The server cannot run in this state. @param advice what to do, a sentence */
export const failed = (subject: string, detail: string, advice: string): Finding => ({
  status: 'failed',
  subject,
  detail,
  advice,
})
