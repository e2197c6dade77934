import type { Resources } from '@parley/api-client'
import { fetchJson } from '../api/http.ts'

/** What a conference token invites to: the look of the conference, and whether one can join now. */
export type Invitation = Resources['Invitation']

/** Conference tokens have this form. */
const TOKEN = /vpt_[0-9a-f]{48}/

/** Finds the token in a link, or in a part of one. @returns null if there is none */
export const tokenIn = (text: string): string | null => TOKEN.exec(text)?.[0] ?? null

/** @throws ApiError with status 401 for a token that is not valid any more */
export function fetchInvitation(token: string, signal: AbortSignal): Promise<Invitation> {
  return fetchJson('/api/video/invitation', `Bearer ${token}`, signal)
}
