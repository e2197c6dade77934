import { Volume1, Volume2 } from 'lucide-react'
import { numberText } from '../../languages/formats.ts'
import { t } from '../../languages/texts.ts'
import { MenuItem } from '../../ui/menu.tsx'
import type { Meeting } from '../meeting.ts'
import type { MeetingMember } from '../members.ts'

/** Steps of gain, as the server takes them. */
const STEP = 10
const MOST = 50

/** How loud all others hear somebody. The menu stays open: one goes by ear, step by step. */
export function VolumeItems({ room, member }: Pick<Meeting, 'room'> & { member: MeetingMember }) {
  const { id, inputVolume } = member
  const change = (by: number) => room.setVolume(id, Math.max(-MOST, Math.min(MOST, inputVolume + by)))
  const shown = (
    <span aria-hidden className="ms-auto ps-3 text-ink-soft tabular-nums">
      {numberText(inputVolume, { signDisplay: 'exceptZero' })}
    </span>
  )
  return (
    <>
      <MenuItem
        icon={<Volume2 className="size-4" />}
        disabled={inputVolume >= MOST}
        staysOpen
        onSelect={() => void change(STEP)}
      >
        {t('panels.louder')}
        {shown}
      </MenuItem>
      <MenuItem
        icon={<Volume1 className="size-4" />}
        disabled={inputVolume <= -MOST}
        staysOpen
        onSelect={() => void change(-STEP)}
      >
        {t('panels.quieter')}
      </MenuItem>
    </>
  )
}
