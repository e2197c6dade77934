import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Download, EllipsisVertical, Pause, Play, Trash2, X } from 'lucide-react'
import { useState } from 'react'
import { useApi } from '../api/api-context.tsx'
import { apiErrorText } from '../api/error-text.ts'
import type { Recording } from '../api/resources.ts'
import { useMay } from '../api/signed-in-access.ts'
import { clockText } from '../languages/formats.ts'
import { t } from '../languages/texts.ts'
import { Confirm } from '../ui/confirm.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { Menu, MenuItem } from '../ui/menu.tsx'
import { Spinner } from '../ui/spinner.tsx'
import { useToast } from '../ui/toasts.tsx'
import { downloadLink } from './download-link.ts'
import { dayText, sizeText } from './format.ts'
import { RecordingPlayer } from './recording-player.tsx'
import { recordingsKey } from './use-recordings.ts'

interface RecordingRowProps {
  roomName: string
  recording: Recording
  playing: boolean
  onPlay: (play: boolean) => void
}

export function RecordingRow({ roomName, recording, playing, onPlay }: RecordingRowProps) {
  const started = recording.started_at
    ? dayText(Date.parse(recording.started_at), Date.now())
    : t('host.just-now')
  const ready = recording.status === 'completed'
  return (
    <li className="bg-surface">
      <div className="flex items-center gap-3 py-2.5 pe-2 ps-3">
        {ready ? (
          <IconButton
            label={t(playing ? 'host.close-recording' : 'host.play-recording', { time: started })}
            aria-expanded={playing}
            onClick={() => onPlay(!playing)}
            tone="accent"
          >
            {playing ? <X className="size-5" /> : <Play className="ml-0.5 size-5 fill-current" />}
          </IconButton>
        ) : (
          <Progress status={recording.status} />
        )}
        <div className="min-w-0 flex-1">
          <p className="truncate font-medium">{started}</p>
          <p className="truncate text-sm text-ink-soft tabular-nums">{factsOf(recording)}</p>
        </div>
        {ready && <RecordingMenu roomName={roomName} recording={recording} />}
      </div>
      {playing && ready && (
        <RecordingPlayer recordingId={recording.id} label={t('host.recording-of', { time: started })} />
      )}
    </li>
  )
}

function Progress({ status }: { status: Recording['status'] }) {
  return (
    <span aria-hidden className="grid size-10 shrink-0 place-items-center">
      {status === 'recording' && <span className="size-3 animate-pulse-dot rounded-full bg-danger" />}
      {status === 'paused' && <Pause className="size-5 text-ink-soft" />}
      {status !== 'recording' && status !== 'paused' && <Spinner className="size-5 text-ink-soft" />}
    </span>
  )
}

function factsOf(recording: Recording): string {
  if (recording.status === 'recording') return t('host.recording-now')
  if (recording.status === 'paused') return t('host.recording-paused')
  if (recording.status !== 'completed') return t('host.recording-almost-ready')
  return [
    recording.duration === null ? null : clockText(recording.duration),
    recording.size_in_bytes === null ? null : sizeText(recording.size_in_bytes),
  ]
    .filter((fact) => fact !== null)
    .join(' · ')
}

function RecordingMenu({ roomName, recording }: { roomName: string; recording: Recording }) {
  const api = useApi()
  const queries = useQueryClient()
  const tell = useToast()
  const [asking, setAsking] = useState(false)
  const mayOperate = useMay('operate')

  const download = useMutation({
    mutationFn: () => api.getRecording(recording.id),
    onSuccess: ({ uri }) => {
      if (!uri) return tell(t('host.file-gone'), t('host.file-gone-hint'))
      const link = document.createElement('a')
      link.href = downloadLink(uri)
      link.download = `${roomName}-${(recording.started_at ?? '').slice(0, 16).replaceAll(':', '')}.mp4`
      link.click()
    },
    onError: (error) => {
      const text = apiErrorText(error)
      tell(text.title, text.hint)
    },
  })
  const remove = useMutation({
    mutationFn: () => api.deleteRecording(recording.id),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: recordingsKey(roomName) })
      setAsking(false)
    },
  })

  return (
    <>
      <Menu
        trigger={
          <IconButton label={t('host.more-about-recording')}>
            <EllipsisVertical className="size-5" />
          </IconButton>
        }
      >
        <MenuItem icon={<Download className="size-4" />} onSelect={() => download.mutate()}>
          {t('host.download')}
        </MenuItem>
        {mayOperate && (
          <MenuItem icon={<Trash2 className="size-4" />} danger onSelect={() => setAsking(true)}>
            {t('host.delete')}
          </MenuItem>
        )}
      </Menu>
      <Confirm
        open={asking}
        onOpenChange={setAsking}
        title={t('host.delete-recording-question')}
        description={t('host.delete-recording-hint')}
        action={t('host.delete-recording')}
        busy={remove.isPending}
        problem={remove.error ? apiErrorText(remove.error) : null}
        onConfirm={() => remove.mutate()}
      />
    </>
  )
}
