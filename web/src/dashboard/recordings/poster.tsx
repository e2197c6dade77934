import { Clapperboard, Mic } from 'lucide-react'
import { useState } from 'react'
import type { FoundRecording } from './recording-queries.ts'

/** A picture out of a recording; a drawn one where there is none. It tells nothing that the row does not say. */
export function Poster({ recording: { poster_uri, status } }: { recording: FoundRecording }) {
  const [failed, setFailed] = useState<string | null>(null)
  const Icon = status === 'completed' ? Clapperboard : Mic
  return (
    <span className="grid aspect-video w-28 shrink-0 place-items-center overflow-hidden rounded-md bg-stage text-on-stage sm:w-36">
      {poster_uri !== null && poster_uri !== failed ? (
        <img
          src={poster_uri}
          alt=""
          loading="lazy"
          decoding="async"
          onError={() => setFailed(poster_uri)}
          className="size-full object-cover"
        />
      ) : (
        <Icon aria-hidden className="size-6 opacity-60" />
      )}
    </span>
  )
}
