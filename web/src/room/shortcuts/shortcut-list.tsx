import type { TextId } from '../../languages/catalogs.ts'
import { t } from '../../languages/texts.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Switch } from '../../ui/switch.tsx'
import { SHORTCUT_KEYS, type Shortcut } from './shortcut.ts'
import { switchShortcuts, useShortcutsOn } from './shortcuts-switch.ts'

const DOES: Readonly<Record<Shortcut, TextId>> = {
  microphone: 'panels.does-microphone',
  camera: 'panels.does-camera',
  hand: 'panels.does-hand',
  chat: 'panels.does-chat',
  talk: 'panels.does-talk',
  list: 'panels.does-list',
}

/** All keys, and the switch that turns them off. */
export function ShortcutList({ onClose }: { onClose: () => void }) {
  const isOn = useShortcutsOn()
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title={t('panels.shortcuts')}>
      <dl className="mb-5 grid grid-cols-[auto_1fr] items-center gap-x-4 gap-y-2.5 text-sm">
        {(Object.keys(DOES) as Shortcut[]).map((shortcut) => (
          <div key={shortcut} className="col-span-2 grid grid-cols-subgrid items-center">
            <dt>
              <kbd className="rounded-sm border border-line-strong bg-sunken px-2 py-0.5 font-mono text-sm">
                {keyText(shortcut)}
              </kbd>
            </dt>
            <dd>{t(DOES[shortcut])}</dd>
          </div>
        ))}
      </dl>
      <Switch
        label={t('panels.shortcuts-on')}
        hint={t('panels.shortcuts-hint')}
        checked={isOn}
        onChange={switchShortcuts}
      />
    </Dialog>
  )
}

function keyText(shortcut: Shortcut): string {
  const key = SHORTCUT_KEYS[shortcut]
  return shortcut === 'talk' ? t('panels.key-hold-space', { key: t('panels.key-space') }) : key.toUpperCase()
}
