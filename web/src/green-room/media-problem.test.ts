import { expect, test } from 'vitest'
import { askAgainAlone, mediaProblem, mediaProblemText } from './media-problem.ts'

test('the names of browser errors are understood', () => {
  const named = (name: string) => mediaProblem(new DOMException('', name))
  expect(named('NotAllowedError')).toBe('denied')
  expect(named('NotFoundError')).toBe('missing')
  expect(named('OverconstrainedError')).toBe('missing')
  expect(named('NotReadableError')).toBe('in-use')
  expect(named('InvalidStateError')).toBe('failed')
  expect(mediaProblem(new TypeError())).toBe('insecure')
  expect(mediaProblem(undefined)).toBe('failed')
})

test('every problem says what to do', () => {
  for (const kind of ['camera', 'microphone'] as const) {
    for (const problem of ['denied', 'missing', 'in-use', 'insecure', 'failed'] as const) {
      const text = mediaProblemText(kind, problem)
      expect(text.title).toContain(kind)
      expect(text.hint).not.toBe('')
    }
  }
})

test('with one device missing the other is still asked for', () => {
  expect(askAgainAlone('missing', { camera: 'prompt', microphone: 'prompt' })).toEqual([
    'camera',
    'microphone',
  ])
  expect(askAgainAlone('in-use', { camera: 'granted', microphone: 'granted' })).toEqual([
    'camera',
    'microphone',
  ])
})

test('a refusal is not answered with more questions', () => {
  expect(askAgainAlone('denied', { camera: 'denied', microphone: 'denied' })).toEqual([])
  expect(askAgainAlone('denied', { camera: 'prompt', microphone: 'prompt' })).toEqual([])
  expect(askAgainAlone('denied', { camera: 'unknown', microphone: 'unknown' })).toEqual([])
  expect(askAgainAlone('denied', { camera: 'denied', microphone: 'granted' })).toEqual(['microphone'])
  expect(askAgainAlone('denied', { camera: 'denied', microphone: 'prompt' })).toEqual(['microphone'])
  expect(askAgainAlone('insecure', { camera: 'granted', microphone: 'granted' })).toEqual([])
})
