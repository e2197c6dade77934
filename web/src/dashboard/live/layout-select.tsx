import { LIVE_LAYOUTS } from '../../../../server/src/resources/layout-names.ts'
import { answerOf } from '../../api/http.ts'
import { t } from '../../languages/texts.ts'
import { layoutTitle } from '../../room/layout-title.ts'
import { Select } from '../../ui/select.tsx'
import type { LiveRoom } from './live-queries.ts'
import { useAct } from './use-act.ts'

/** Arranges the picture of a running room anew. */
export function LayoutSelect({ room }: { room: LiveRoom }) {
  const setLayout = useAct((client, name: string) => {
    const layout = LIVE_LAYOUTS.find((one) => one === name)
    return answerOf(
      client.PUT('/api/dashboard/live_rooms/{id}', {
        params: { path: { id: room.id } },
        body: layout ? { layout } : {},
      }),
    )
  })
  return (
    <Select
      label={t('live.layout')}
      value={setLayout.isPending ? setLayout.variables : room.layout}
      disabled={setLayout.isPending}
      options={LIVE_LAYOUTS.map((name) => ({ value: name, label: layoutTitle(name) }))}
      onChange={(name) => setLayout.mutate(name)}
    />
  )
}
