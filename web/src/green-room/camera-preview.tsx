import { Mic, MicOff, Video, VideoOff } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { t } from '../languages/texts.ts'
import { Spinner } from '../ui/spinner.tsx'
import type { LocalMediaSnapshot } from './local-media.ts'
import type { DeviceState } from './local-media-machine.ts'
import { MicMeter } from './mic-meter.tsx'
import { PreviewToggle } from './preview-toggle.tsx'

interface CameraPreviewProps {
  name: string
  state: LocalMediaSnapshot
  /** Null where the device may not be used. */
  onToggleCamera: (() => void) | null
  onToggleMicrophone: (() => void) | null
}

/** Shows the camera's picture and the microphone's level, with a switch for each. */
export function CameraPreview({ name, state, onToggleCamera, onToggleMicrophone }: CameraPreviewProps) {
  const video = useRef<HTMLVideoElement>(null)
  useEffect(() => {
    if (video.current) video.current.srcObject = state.cameraStream
  }, [state.cameraStream])

  return (
    <div className="relative aspect-video overflow-hidden rounded-xl bg-stage text-on-stage shadow-card">
      <video
        ref={video}
        muted
        autoPlay
        playsInline
        aria-label={t('guest.preview-of-camera')}
        hidden={!state.cameraStream}
        className="size-full -scale-x-100 object-cover"
      />
      {!state.cameraStream && (
        <div className="absolute inset-0 grid place-items-center pb-12 text-center">
          {state.camera.is === 'starting' ? (
            <p className="flex items-center gap-2.5 text-sm">
              <Spinner />
              {t('guest.camera-starting')}
            </p>
          ) : (
            <div>
              <VideoOff aria-hidden className="mx-auto size-8 opacity-70" />
              <p className="mt-2 text-sm opacity-85">{cameraOffText(state.camera)}</p>
            </div>
          )}
        </div>
      )}
      <div className="absolute inset-x-0 bottom-0 flex items-center justify-between gap-3 p-3 sm:p-4">
        <span className="flex min-w-0 items-center gap-2.5 rounded-full bg-stage-label px-3 py-1.5 text-sm font-medium">
          <span className="truncate">
            <bdi>{name || t('guest.you')}</bdi>
          </span>
          {state.microphone.is === 'on' && <MicMeter stream={state.microphoneStream} />}
        </span>
        <span className="flex gap-2.5">
          {onToggleMicrophone && (
            <PreviewToggle
              on={state.microphone.is === 'on'}
              label={t(
                state.microphone.is === 'on' ? 'guest.microphone-turn-off' : 'guest.microphone-turn-on',
              )}
              problem={state.microphone.is === 'problem'}
              onClick={onToggleMicrophone}
            >
              {state.microphone.is === 'on' ? <Mic className="size-5" /> : <MicOff className="size-5" />}
            </PreviewToggle>
          )}
          {onToggleCamera && (
            <PreviewToggle
              on={state.camera.is === 'on'}
              label={t(state.camera.is === 'on' ? 'guest.camera-turn-off' : 'guest.camera-turn-on')}
              problem={state.camera.is === 'problem'}
              onClick={onToggleCamera}
            >
              {state.camera.is === 'on' ? <Video className="size-5" /> : <VideoOff className="size-5" />}
            </PreviewToggle>
          )}
        </span>
      </div>
    </div>
  )
}

function cameraOffText(camera: DeviceState): string {
  return t(camera.is === 'problem' ? 'guest.camera-no-picture' : 'guest.camera-is-off')
}
