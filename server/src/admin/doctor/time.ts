import { execFile } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { type Examination, type Finding, failed, ok, type Patient, warning } from './finding.ts'

const SUBJECT = 'Clock'
/** No Parley is older than this, so an earlier time is wrong. */
const TOO_EARLY = Date.UTC(2025, 0, 1)
const TOO_LATE = Date.UTC(2100, 0, 1)
const WATCHED_MS = 500
const LEAP_MS = 50

/**
 * Examines the clock of this machine: that its time is plausible, that it does not jump, and that something
 * synchronises it.
 */
export const time: Examination = {
  subject: SUBJECT,
  async examine({ clock }: Patient) {
    const now = clock.now()
    const shown = new Date(now).toISOString()
    if (now < TOO_EARLY || now > TOO_LATE) {
      return [failed(SUBJECT, `says ${shown}`, 'Set it: certificates, tokens and links depend on it.')]
    }
    const steadyFrom = performance.now()
    await sleep(WATCHED_MS)
    const leapMs = Math.abs(clock.now() - now - (performance.now() - steadyFrom))
    if (leapMs > LEAP_MS) {
      const advice = 'Let it be slewed by NTP, instead of set.'
      return [warning(SUBJECT, `leapt by ${Math.round(leapMs)} ms while we watched`, advice)]
    }
    return [await synchronisation(shown)]
  },
}

async function synchronisation(shown: string): Promise<Finding> {
  const { stdout } = await promisify(execFile)('timedatectl', [
    'show',
    '--property=NTPSynchronized',
    '--value',
  ]).catch(() => ({ stdout: '' }))
  if (stdout.trim() !== 'no') return ok(SUBJECT, shown)
  return warning(SUBJECT, `${shown}, kept by nothing`, 'Switch NTP on (timedatectl set-ntp true).')
}
