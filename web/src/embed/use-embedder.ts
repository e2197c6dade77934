import type { EmbedOptions } from '@parley/embed/protocol'
import { useEffect, useRef, useState } from 'react'
import { ApiError } from '../api/api-error.ts'
import { fetchJson } from '../api/http.ts'
import { t } from '../languages/texts.ts'
import { Embedder, embedderOrigin } from './embedder.ts'
import { obey } from './meeting-commands.ts'
import { MeetingReporter } from './meeting-reporter.ts'

export type Embedding =
  /** Nobody embeds this page. */
  | { is: 'alone' }
  | { is: 'waiting' }
  | { is: 'unreachable' }
  | { is: 'forbidden'; origin: string; projectId: string }
  | { is: 'open'; options: EmbedOptions }

export interface UsedEmbedder {
  embedding: Embedding
  embedder: Embedder | null
  reporter: MeetingReporter
}

/** Greets whoever embeds this page, and opens only to origins that the project of the token lists. */
export function useEmbedder(): UsedEmbedder {
  const [embedding, setEmbedding] = useState<Embedding>({
    is: embedderOrigin() === null ? 'alone' : 'waiting',
  })
  const [embedder, setEmbedder] = useState<Embedder | null>(null)
  const current = useRef<Embedder | null>(null)
  const [reporter] = useState(
    () => new MeetingReporter(({ name, detail }) => current.current?.tell(name, detail as never)),
  )
  useEffect(() => {
    const origin = embedderOrigin()
    if (origin === null) return
    const checked = new Map<string, Promise<Embedding | null>>()
    const one = new Embedder(origin, {
      onOptions: (options) => {
        const check = checked.get(options.token) ?? refusalFor(origin, options.token)
        checked.set(options.token, check)
        void check.then((refusal) => {
          if (current.current !== one) return
          setEmbedding(refusal ?? { is: 'open', options })
          if (refusal) tellRefusal(one, refusal)
        })
      },
      onCommand: (command) => obey(reporter.meeting, command),
    })
    current.current = one
    setEmbedder(one)
    return () => {
      one.end()
      current.current = null
    }
  }, [reporter])
  return { embedding, embedder, reporter }
}

/** @returns null if a page of this origin may embed what the token is for */
async function refusalFor(origin: string, token: string): Promise<Embedding | null> {
  if (origin === window.location.origin) return null
  try {
    const path = `/page/embedding?origin=${encodeURIComponent(origin)}`
    const answer = await fetchJson<{ allowed: boolean; project_id: string }>(path, `Bearer ${token}`)
    return answer.allowed ? null : { is: 'forbidden', origin, projectId: answer.project_id }
  } catch (error) {
    // The screens of the visit say what is wrong with a token.
    return error instanceof ApiError && error.status === 401 ? null : { is: 'unreachable' }
  }
}

function tellRefusal(embedder: Embedder, refusal: Embedding): void {
  if (refusal.is === 'forbidden') {
    const message = t('embed.forbidden', { origin: refusal.origin, command: allowCommand(refusal) })
    embedder.tell('error', { code: 'origin-not-allowed', message })
  } else if (refusal.is === 'unreachable') {
    embedder.tell('error', { code: 'unreachable', message: t('embed.unreachable') })
  }
}

/** What whoever runs the server has to enter there. */
export const allowCommand = ({ origin, projectId }: { origin: string; projectId: string }): string =>
  `npx parley projects embed-origins ${projectId} --add ${origin}`
