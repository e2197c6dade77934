import { type FormEvent, type ReactNode, useState } from 'react'
import { t } from '../../languages/texts.ts'
import { isStreamAddress } from '../../room/streaming/stream-address.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'

interface StreamAddressFormProps {
  /** Called with an address of RTMP, without spaces around it. */
  onAddress: (url: string) => void
  isBusy: boolean
  /** What stands on the button. */
  action: ReactNode
  /** What became of the last address. */
  children: ReactNode
}

/** Asks for the address of an RTMP server. */
export function StreamAddressForm({ onAddress, isBusy, action, children }: StreamAddressFormProps) {
  const [address, setAddress] = useState('')
  const [isWrong, setWrong] = useState(false)

  function submit(event: FormEvent): void {
    event.preventDefault()
    const url = address.trim()
    setWrong(!isStreamAddress(url))
    if (isStreamAddress(url)) onAddress(url)
  }

  return (
    <form onSubmit={submit} noValidate className="space-y-4">
      <Field
        label={t('live.address')}
        hint={t('live.address-hint')}
        error={isWrong ? t('live.address-wrong') : null}
        type="url"
        inputMode="url"
        autoComplete="off"
        spellCheck={false}
        value={address}
        onChange={(event) => setAddress(event.target.value)}
      />
      {children}
      <Button kind="primary" type="submit" busy={isBusy} className="w-full">
        {action}
      </Button>
    </form>
  )
}
