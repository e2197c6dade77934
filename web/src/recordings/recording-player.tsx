import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useApi } from '../api/api-context.tsx'
import { apiErrorText } from '../api/error-text.ts'
import { t } from '../languages/texts.ts'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { Spinner } from '../ui/spinner.tsx'

/** Plays a recording inside the page. It requests a new link first, because links in lists may have expired. */
export function RecordingPlayer({ recordingId, label }: { recordingId: string; label: string }) {
  const api = useApi()
  const [broken, setBroken] = useState(false)
  const { data, error, refetch } = useQuery({
    queryKey: ['recording', recordingId],
    queryFn: () => api.getRecording(recordingId),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })

  if (error || broken || data?.uri === null) {
    const text = error
      ? apiErrorText(error)
      : {
          title: t('host.recording-not-playable'),
          hint: t('host.recording-not-playable-hint'),
        }
    return (
      <div className="px-3 pb-3">
        <Notice tone="danger" title={text.title} hint={text.hint}>
          <Button
            size="small"
            onClick={() => {
              setBroken(false)
              void refetch()
            }}
          >
            {t('guest.try-again')}
          </Button>
        </Notice>
      </div>
    )
  }
  return (
    <div className="px-3 pb-3">
      <div className="grid aspect-video place-items-center overflow-hidden rounded-md bg-stage text-on-stage">
        {data?.uri ? (
          // biome-ignore lint/a11y/useMediaCaption: nobody has written captions for a meeting that just ended
          <video
            src={data.uri}
            aria-label={label}
            controls
            autoPlay
            playsInline
            onError={() => setBroken(true)}
            className="size-full"
          />
        ) : (
          <Spinner className="size-6" />
        )}
      </div>
    </div>
  )
}
