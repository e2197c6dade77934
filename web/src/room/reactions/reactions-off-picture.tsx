import type { MeetingState } from '../meeting-state.ts'

/** Reactions of people who have no tile, with their names. */
export function ReactionsOffPicture({ reactions, tiles }: Pick<MeetingState, 'reactions' | 'tiles'>) {
  const off = reactions.filter(({ memberId }) => !tiles.some((tile) => tile.memberId === memberId))
  return (
    <div
      aria-hidden
      className="pointer-events-none absolute bottom-4 left-4 z-1 flex flex-col items-start gap-1"
    >
      {off.slice(-5).map(({ id, name, reaction }) => (
        <span
          key={id}
          className="flex max-w-60 animate-appear items-center gap-2 rounded-full bg-stage-label px-3 py-1 text-sm text-on-stage"
        >
          <span className="text-lg leading-none">{reaction}</span>
          <bdi className="truncate">{name}</bdi>
        </span>
      ))}
    </div>
  )
}
