import { Camera, CameraOff } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { cameraConstraints } from '../../green-room/constraints.ts'
import { t } from '../../languages/texts.ts'
import { Button } from '../../ui/button.tsx'
import { testProblem } from './test-problem.ts'

/** Shows the chosen camera to the person alone. */
export function CameraTest({ cameraId }: { cameraId: string | null }) {
  const [isOn, setOn] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  return (
    <div className="space-y-2">
      <Button
        size="small"
        onClick={() => {
          setProblem(null)
          setOn(!isOn)
        }}
      >
        {isOn ? <CameraOff aria-hidden className="size-4" /> : <Camera aria-hidden className="size-4" />}
        {t(isOn ? 'settings.camera-test-end' : 'settings.camera-test')}
      </Button>
      {isOn && (
        <OwnPicture
          key={cameraId}
          cameraId={cameraId}
          onProblem={(error) => {
            setProblem(testProblem(error))
            setOn(false)
          }}
        />
      )}
      <p role="status" className="text-sm text-ink-soft empty:hidden">
        {isOn ? t('settings.camera-preview') : problem}
      </p>
    </div>
  )
}

function OwnPicture({
  cameraId,
  onProblem,
}: {
  cameraId: string | null
  onProblem: (error: unknown) => void
}) {
  const video = useRef<HTMLVideoElement>(null)
  const failed = useRef(onProblem)
  useEffect(() => {
    let stream: MediaStream | null = null
    let isGone = false
    const close = () => {
      for (const track of stream?.getTracks() ?? []) track.stop()
    }
    void navigator.mediaDevices.getUserMedia({ video: cameraConstraints(cameraId) }).then(
      (opened) => {
        stream = opened
        if (isGone) close()
        else if (video.current) video.current.srcObject = opened
      },
      (error: unknown) => failed.current(error),
    )
    return () => {
      isGone = true
      close()
    }
  }, [cameraId])
  return (
    <video
      ref={video}
      muted
      autoPlay
      playsInline
      aria-hidden
      className="aspect-video w-full -scale-x-100 rounded-lg bg-stage object-cover"
    />
  )
}
