import { t } from '../../languages/texts.ts'

/** Why a test of a device did not work, in words. */
export function testProblem(error: unknown): string {
  const isBlocked = error instanceof DOMException && ['NotAllowedError', 'SecurityError'].includes(error.name)
  return t('settings.test-failed', {
    reason: t(isBlocked ? 'settings.device-blocked' : 'settings.device-away'),
  })
}
