import { useMutation } from '@tanstack/react-query'
import { Check, Copy } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { useApi } from '../api/api-context.tsx'
import { apiErrorText } from '../api/error-text.ts'
import { t } from '../languages/texts.ts'
import { routeHref } from '../routes.ts'
import { Button } from '../ui/button.tsx'
import { Choice } from '../ui/choice.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Field } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import { guestPermissions } from './join-permissions.ts'
import type { Role } from './meeting-state.ts'

interface InviteDialogProps {
  roomName: string
  roomTitle: string
  open: boolean
  onOpenChange: (open: boolean) => void
}

const validMs = 24 * 60 * 60 * 1000

/** Creates a link that admits one person, without sharing the API token. */
export function InviteDialog({ roomName, roomTitle, open, onOpenChange }: InviteDialogProps) {
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={t('host.invite-title')}
      description={t('host.invite-description')}
    >
      <InviteForm roomName={roomName} roomTitle={roomTitle} />
    </Dialog>
  )
}

function InviteForm({ roomName, roomTitle }: { roomName: string; roomTitle: string }) {
  const api = useApi()
  const [name, setName] = useState('')
  const [role, setRole] = useState<Role>('member')
  const [copied, setCopied] = useState(false)
  const make = useMutation({
    mutationFn: async () => {
      const roomToken = await api.createRoomToken({
        room_name: roomName,
        room_display_name: roomTitle,
        user_name: name.trim(),
        join_as: role,
        permissions: guestPermissions,
        join_until: new Date(Date.now() + validMs).toISOString(),
        // Deleting the room must also end the invitation.
        auto_create_room: false,
      })
      return `${window.location.origin}${routeHref({ screen: 'guest', roomToken })}`
    },
    onSuccess: copy,
  })

  /** A link that was made already no longer fits. */
  function startAnew(): void {
    setCopied(false)
    make.reset()
  }

  async function copy(link: string): Promise<void> {
    // The browser refuses this without permission or focus. Then the person can copy the link by hand.
    setCopied(
      await navigator.clipboard.writeText(link).then(
        () => true,
        () => false,
      ),
    )
  }

  function submit(event: FormEvent): void {
    event.preventDefault()
    if (name.trim()) make.mutate()
  }

  const problem = make.error && apiErrorText(make.error)
  return (
    <form onSubmit={submit} noValidate className="space-y-4">
      {problem && <Notice tone="danger" title={problem.title} hint={problem.hint} />}
      <Field
        label={t('host.invite-name')}
        value={name}
        maxLength={100}
        onChange={(event) => {
          setName(event.target.value)
          startAnew()
        }}
        hint={t('host.invite-name-hint')}
        autoComplete="off"
        autoFocus
      />
      <Choice
        label={t('host.invite-role')}
        value={role}
        options={[
          { value: 'member', label: t('host.invite-role-member') },
          { value: 'audience', label: t('host.invite-role-audience') },
        ]}
        onChange={(next) => {
          setRole(next)
          startAnew()
        }}
      />
      {make.data ? (
        <div className="space-y-3">
          <Field
            label={t('host.invite-link')}
            dir="ltr"
            value={make.data}
            readOnly
            onFocus={(event) => event.target.select()}
          />
          <Button kind="primary" className="w-full" onClick={() => void copy(make.data)}>
            {copied ? <Check aria-hidden className="size-4.5" /> : <Copy aria-hidden className="size-4.5" />}
            {t(copied ? 'host.copied' : 'host.copy-link')}
          </Button>
          <p role="status" className="sr-only">
            {copied && t('host.link-on-clipboard')}
          </p>
        </div>
      ) : (
        <Button kind="primary" type="submit" busy={make.isPending} disabled={!name.trim()} className="w-full">
          {t('host.make-link')}
        </Button>
      )}
    </form>
  )
}
