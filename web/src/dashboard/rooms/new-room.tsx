import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useLocation, useSearchParams } from 'wouter'
import { t } from '../../languages/texts.ts'
import { screenHref } from '../addresses.ts'
import { Asking } from '../asking.tsx'
import { useDashboard } from '../dashboard-context.tsx'
import { keys } from '../dashboard-queries.ts'
import { ScreenHead } from '../screen-head.tsx'
import { formValues } from './form-values.ts'
import { RoomForm } from './room-form.tsx'
import type { AnyRoom, RoomKind } from './room-kinds.ts'
import { oneRoom } from './room-queries.ts'

/** A new room or conference; the address may name one to begin with. */
export function NewRoom({ kind }: { kind: RoomKind }) {
  const { client } = useDashboard()
  const from = useSearchParams()[0].get('from')
  const query = useQuery({ ...oneRoom(client, kind, from ?? ''), enabled: from !== null })
  return (
    <>
      <ScreenHead title={t(kind.texts.new)} />
      {from === null ? (
        <Blank kind={kind} model={null} />
      ) : (
        <Asking query={query} placeholder="h-96">
          {(model) => <Blank kind={kind} model={model} />}
        </Asking>
      )}
    </>
  )
}

function Blank({ kind, model }: { kind: RoomKind; model: AnyRoom | null }) {
  const { client } = useDashboard()
  const queries = useQueryClient()
  const [, go] = useLocation()
  const create = useMutation({
    mutationFn: (body: object) => kind.create(client, body),
    onSuccess: (made) => {
      void queries.invalidateQueries({ queryKey: [...keys.rooms, kind.path, 'list'] })
      go(screenHref(`${kind.path}/${made.id}`), { replace: true })
    },
  })
  return (
    <RoomForm
      form={kind.form}
      initial={formValues(kind.form, model && copyOf(model, kind))}
      defaults={formValues(kind.form, null)}
      isNew
      action={t('rooms.create')}
      busy={create.isPending}
      error={create.error}
      onSubmit={create.mutate}
    />
  )
}

const NAME_MAX_LENGTH = 100
const TITLE_MAX_LENGTH = 200

/** The same with another name: two cannot have one. */
function copyOf(model: AnyRoom, kind: RoomKind): object {
  const title = t(kind.texts['copy-of'], { name: model.display_name ?? model.name })
  return {
    ...model,
    name: `${model.name.slice(0, NAME_MAX_LENGTH - 5)}-copy`,
    display_name: [...title].slice(0, TITLE_MAX_LENGTH).join(''),
  }
}
