import { Mic } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import type { Choices } from '../../green-room/choices.ts'
import { microphoneConstraints } from '../../green-room/constraints.ts'
import { MicMeter } from '../../green-room/mic-meter.tsx'
import { t } from '../../languages/texts.ts'
import { Button } from '../../ui/button.tsx'
import { testProblem } from './test-problem.ts'
import { playBack, record } from './test-sound.ts'

const RECORDED_SECONDS = 3

type Step =
  | { is: 'ready'; problem: string | null }
  | { is: 'opening' }
  | { is: 'recording'; stream: MediaStream }
  | { is: 'playing' }

/** Records the microphone for some seconds, with its level, and plays that back. */
export function MicrophoneTest({ choices }: { choices: Choices }) {
  const [step, setStep] = useState<Step>({ is: 'ready', problem: null })
  const open = useRef<MediaStream | null>(null)
  useEffect(() => () => close(open.current), [])

  async function run(): Promise<void> {
    setStep({ is: 'opening' })
    let problem: string | null = null
    try {
      const audio = microphoneConstraints(choices.microphoneId)
      const stream = await navigator.mediaDevices.getUserMedia({ audio })
      open.current = stream
      setStep({ is: 'recording', stream })
      const recording = await record(stream, RECORDED_SECONDS * 1000)
      close(stream)
      setStep({ is: 'playing' })
      await playBack(recording, choices.speakerId)
    } catch (error) {
      problem = testProblem(error)
    } finally {
      close(open.current)
    }
    setStep({ is: 'ready', problem })
  }

  return (
    <div className="space-y-2">
      <Button
        size="small"
        busy={step.is === 'opening'}
        disabled={step.is === 'recording' || step.is === 'playing'}
        onClick={() => void run()}
      >
        <Mic aria-hidden className="size-4" />
        {t('settings.microphone-test')}
      </Button>
      {step.is === 'recording' && <MicMeter stream={step.stream} />}
      <p role="status" className="text-sm text-ink-soft empty:hidden">
        {step.is === 'recording' && t('settings.microphone-speak', { seconds: RECORDED_SECONDS })}
        {step.is === 'playing' && t('settings.microphone-plays')}
        {step.is === 'ready' && step.problem}
      </p>
    </div>
  )
}

function close(stream: MediaStream | null): void {
  for (const track of stream?.getTracks() ?? []) track.stop()
}
