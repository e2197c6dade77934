import type { Clock } from '../../clock.ts'
import type { Config } from '../../config.ts'

/** What an examination came to. */
export interface Finding {
  status: 'ok' | 'warning' | 'failed'
  /** What was looked at, in two or three words. */
  subject: string
  /** What was seen. */
  detail: string
  /** What to do about it. */
  advice?: string
}

/** What the examinations look at. */
export interface Patient {
  config: Config
  env: Readonly<Record<string, string | undefined>>
  clock: Clock
}

/** One examination. What it throws counts as failed. */
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

/** The server does not run like this. @param advice what to do, a sentence */
export const failed = (subject: string, detail: string, advice: string): Finding => ({
  status: 'failed',
  subject,
  detail,
  advice,
})
