import { createContext, use } from 'react'
import type { ParleyApi } from './parley-api.ts'

const ApiContext = createContext<ParleyApi | null>(null)

/** Gives everything below it the API of the project that is signed in. */
export const ApiProvider = ApiContext.Provider

/** @throws where nobody is signed in: a guest's screens have no API and must not ask for one */
export function useApi(): ParleyApi {
  const api = use(ApiContext)
  if (!api) throw new Error('No project is signed in here.')
  return api
}
