import { i18n } from '@lingui/core'
import { afterEach, expect, test, vi } from 'vitest'
import { t } from './texts.ts'

afterEach(() => vi.restoreAllMocks())

test('a text takes its values', () => {
  expect(t('guest.camera-numbered', { number: 1234 })).toBe('Camera 1,234')
})

test('a name that is written the other way keeps its direction, and the sentence its own', () => {
  const translate = vi.spyOn(i18n, '_').mockReturnValue('')
  t('guest.you', { name: 'Ada' })
  expect(translate).toHaveBeenLastCalledWith('guest.you', { name: 'Ada' })
  t('guest.you', { name: 'ليلى', count: 2 })
  expect(translate).toHaveBeenLastCalledWith('guest.you', { name: '\u2068ليلى\u2069', count: 2 })
})
