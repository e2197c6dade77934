import type { ShownReaction } from './reaction.ts'

/** Reactions that rise from the lower edge of a tile, or stand there for people who want no motion. */
export function FloatingReactions({ reactions }: { reactions: readonly ShownReaction[] }) {
  return (
    <span className="absolute inset-x-0 bottom-[12%] flex justify-center">
      {reactions.map(({ id, reaction }) => (
        <span
          key={id}
          className="-mx-2 text-2xl leading-none drop-shadow-md motion-safe:animate-rise sm:text-4xl"
          // Several at once do not hide each other.
          style={{ transform: `translateX(${((id * 37) % 5) * 8 - 16}px)` }}
        >
          {reaction}
        </span>
      ))}
    </span>
  )
}
