import { ToggleGroup } from 'radix-ui'
import { useEffect, useState } from 'react'
import { LIVE_LAYOUTS } from '../../../server/src/resources/layout-names.ts'
import { t } from '../languages/texts.ts'
import { Spinner } from '../ui/spinner.tsx'
import { LayoutPicture } from './layout-picture.tsx'
import { layoutTitle } from './layout-title.ts'
import type { Meeting } from './meeting.ts'
import type { MeetingState } from './meeting-state.ts'

/** Drawings of layouts that depend on the number of members show no fewer than this. */
const fewestDrawn = 4

/** The layouts as small drawings. The present one is pressed. */
export function LayoutPanel({ meeting, state }: { meeting: Meeting; state: MeetingState }) {
  const names = useLayouts(meeting, state.permissions)
  const [asked, setAsked] = useState<string | null>(null)

  async function set(name: string): Promise<void> {
    setAsked(name)
    await meeting.room.setLayout(name)
    setAsked(null)
  }

  return (
    <ToggleGroup.Root
      type="multiple"
      aria-label={t('meeting.layouts')}
      value={state.layout === null ? [] : [state.layout]}
      className="grid grid-cols-3 gap-2"
    >
      {names.map((name) => (
        <ToggleGroup.Item
          key={name}
          value={name}
          aria-busy={asked === name || undefined}
          onClick={() => void set(name)}
          className="relative flex min-w-0 flex-col gap-1.5 rounded-md border-2 border-line p-1.5 pb-2 text-center text-xs font-medium text-ink-soft transition-colors hover:bg-hover hover:text-ink aria-pressed:border-accent aria-pressed:bg-accent-soft aria-pressed:text-accent"
        >
          <LayoutPicture name={name} members={Math.max(fewestDrawn, state.tiles.length)} />
          <span>{layoutTitle(name)}</span>
          {asked === name && (
            <span className="absolute top-2.5 end-2.5 text-on-stage">
              <Spinner />
            </span>
          )}
        </ToggleGroup.Item>
      ))}
    </ToggleGroup.Root>
  )
}

/** The layouts that the server offers. Without the permission to ask, those that this page knows. */
function useLayouts(meeting: Meeting, permissions: readonly string[]): readonly string[] {
  const mayAsk = permissions.includes('room.list_available_layouts')
  const [names, setNames] = useState<readonly string[]>(LIVE_LAYOUTS)
  useEffect(() => {
    if (mayAsk) void meeting.room.layouts().then((list) => list && setNames(list))
  }, [meeting, mayAsk])
  return names
}
