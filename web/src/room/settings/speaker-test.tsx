import { Volume2 } from 'lucide-react'
import { useState } from 'react'
import { t } from '../../languages/texts.ts'
import { Button } from '../../ui/button.tsx'
import { testProblem } from './test-problem.ts'
import { playTestTones } from './test-sound.ts'

/** Plays tones through the chosen loudspeaker. */
export function SpeakerTest({ speakerId }: { speakerId: string | null }) {
  const [isPlaying, setPlaying] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)

  async function run(): Promise<void> {
    setPlaying(true)
    setProblem(null)
    await playTestTones(speakerId).catch((error: unknown) => setProblem(testProblem(error)))
    setPlaying(false)
  }

  return (
    <div className="space-y-2">
      <Button size="small" disabled={isPlaying} onClick={() => void run()}>
        <Volume2 aria-hidden className="size-4" />
        {t('settings.speaker-test')}
      </Button>
      <p role="status" className="text-sm text-ink-soft empty:hidden">
        {isPlaying ? t('settings.speaker-plays') : problem}
      </p>
    </div>
  )
}
