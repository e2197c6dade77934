import { createContext, use } from 'react'
import type { ParleyApi } from './parley-api.ts'

const ApiContext = createContext<ParleyApi | null>(null)

/** Provides all components below it with the API of the signed-in project. */
export const ApiProvider = ApiContext.Provider

/** @throws if nobody is signed in: a guest's screens have no API and must not call this */
export function useApi(): ParleyApi {
  const api = use(ApiContext)
  if (!api) throw new Error('No project is signed in here.')
  return api
}
