import { ArrowLeft } from 'lucide-react'
import { type FormEvent, type ReactNode, useState } from 'react'
import { Link } from 'wouter'
import type { ErrorText } from '../api/error-text.ts'
import { LanguagePicker } from '../languages/language-picker.tsx'
import { t } from '../languages/texts.ts'
import { useSurroundings } from '../room/surroundings.ts'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import { CameraPreview } from './camera-preview.tsx'
import { type Choices, loadChoices, saveChoices } from './choices.ts'
import { DevicePickers } from './device-pickers.tsx'
import type { LocalMedia } from './local-media.ts'
import { MediaProblems } from './media-problems.tsx'
import type { Readiness } from './readiness.ts'
import { useLocalMedia } from './use-local-media.ts'

interface GreenRoomProps {
  roomTitle: string
  /** Set if the invitation contains a name. */
  fixedName: string | null
  /** The link back to the lobby; absent for a guest, who came from elsewhere. */
  backHref?: string
  /** Why the last attempt to join failed. */
  problem: ErrorText | null
  onJoin: (ready: Readiness) => void
  children?: ReactNode
}

const maxNameLength = 100

/** The screen before joining: name, camera preview, microphone. */
export function GreenRoom(props: GreenRoomProps) {
  const { roomTitle, fixedName, backHref, problem, onJoin, children } = props
  const around = useSurroundings()
  const [choices, setChoices] = useState(loadChoices)
  const [nameProblem, setNameProblem] = useState<string | null>(null)
  const { media, state } = useLocalMedia({
    ...choices,
    cameraOn: choices.cameraOn && around.video,
    microphoneOn: choices.microphoneOn && around.audio,
  })

  function change(part: Partial<Choices>): Choices {
    const changed = { ...choices, ...part }
    setChoices(changed)
    saveChoices(changed)
    return changed
  }

  function toggle(kind: 'camera' | 'microphone'): void {
    const on = state[kind].is === 'on' || state[kind].is === 'starting'
    const changed = change(kind === 'camera' ? { cameraOn: !on } : { microphoneOn: !on })
    if (on) media.turnOff(kind)
    else void media.turnOn(kind, changed)
  }

  function pick(part: Partial<Choices>): void {
    const changed = change(part)
    if (part.cameraId !== undefined && state.camera.is !== 'off') void media.turnOn('camera', changed)
    if (part.microphoneId !== undefined && state.microphone.is !== 'off')
      void media.turnOn('microphone', changed)
  }

  function submit(event: FormEvent): void {
    event.preventDefault()
    const name = fixedName ?? choices.name.trim()
    const wrong = fixedName === null ? nameProblemOf(name) : null
    setNameProblem(wrong)
    if (!wrong) onJoin({ choices: change({ name: choices.name.trim() }), ...handOver(media) })
  }

  return (
    <main className="mx-auto flex min-h-full max-w-5xl flex-col px-4 pb-8 sm:px-8">
      <div className="flex min-h-18 shrink-0 items-center gap-4">
        {backHref && (
          <Link
            href={backHref}
            className="inline-flex min-h-10 items-center gap-2 rounded-md text-sm font-medium text-ink-soft hover:text-ink"
          >
            <ArrowLeft aria-hidden className="size-4.5 rtl:-scale-x-100" />
            {t('guest.back')}
          </Link>
        )}
        <div className="ms-auto">
          <LanguagePicker />
        </div>
      </div>
      <div className="my-auto grid items-center gap-6 md:grid-cols-[minmax(0,1fr)_20rem] md:gap-12">
        <div className="space-y-4">
          <CameraPreview
            name={fixedName ?? choices.name.trim()}
            state={state}
            onToggleCamera={around.video ? () => toggle('camera') : null}
            onToggleMicrophone={around.audio ? () => toggle('microphone') : null}
          />
          <MediaProblems state={state} onRetry={(kind) => void media.turnOn(kind, choices)} />
        </div>
        <form onSubmit={submit} noValidate className="space-y-5">
          <div>
            <p className="text-sm font-medium text-ink-soft">{t('guest.about-to-join')}</p>
            <h1 className="mt-0.5 text-2xl font-semibold tracking-tight break-words">{roomTitle}</h1>
            {children}
          </div>
          {problem && <Notice tone="danger" title={problem.title} hint={problem.hint} />}
          {fixedName === null && (
            <Field
              label={t('guest.your-name')}
              value={choices.name}
              error={nameProblem}
              onChange={(event) => {
                setNameProblem(null)
                change({ name: event.target.value })
              }}
              name="name"
              autoComplete="name"
              autoFocus
            />
          )}
          {around.devicePicker && (
            <DevicePickers
              devices={state.devices}
              choices={choices}
              running={{
                cameraId: deviceIdOf(state.cameraStream),
                microphoneId: deviceIdOf(state.microphoneStream),
              }}
              onPick={pick}
            />
          )}
          <Button kind="primary" size="large" type="submit" className="w-full">
            {joinText(state)}
          </Button>
        </form>
      </div>
    </main>
  )
}

/** The problem with a name, or null. */
function nameProblemOf(name: string): string | null {
  if (name === '') return t('guest.name-missing')
  return [...name].length > maxNameLength ? t('guest.name-too-long', { max: maxNameLength }) : null
}

function handOver(media: LocalMedia): Omit<Readiness, 'choices'> {
  const { camera, microphone } = media.snapshot()
  return {
    cameraUsable: camera.is !== 'problem',
    microphoneUsable: microphone.is !== 'problem',
    tracks: media.release(),
  }
}

/** The button says what the others will see and hear. */
function joinText(state: { camera: { is: string }; microphone: { is: string } }): string {
  const noCamera = state.camera.is === 'problem'
  const noMicrophone = state.microphone.is === 'problem'
  if (noCamera && noMicrophone) return t('guest.join-to-watch')
  if (noCamera) return t('guest.join-sound-only')
  if (noMicrophone) return t('guest.join-without-microphone')
  return t('guest.join-now')
}

function deviceIdOf(stream: MediaStream | null): string | null {
  return stream?.getTracks()[0]?.getSettings().deviceId ?? null
}
