import { useEffect, useState } from 'react'
import type { MeetingMember } from './members.ts'

/** Shorter sounds are coughs and agreement. */
const speaksForMs = 800

/**
 * Who of the others speaks, or spoke last. Null before anybody did.
 * @param selfId nobody needs to see themselves large
 */
export function useSpeaker(members: readonly MeetingMember[], selfId: string | null): string | null {
  const [speaker, setSpeaker] = useState<string | null>(null)
  const speaking = members.filter((one) => one.talking && !one.audioMuted && one.id !== selfId)
  const goesOn = speaking.some(({ id }) => id === speaker)
  const next = goesOn ? null : (speaking[0]?.id ?? null)
  useEffect(() => {
    if (next === null) return
    const timer = setTimeout(() => setSpeaker(next), speaksForMs)
    return () => clearTimeout(timer)
  }, [next])
  return speaker
}
