import type { Rest } from '../testing/rest.ts'

interface Told {
  part: string
  code: string
  message: string
}

/** The answer of `/readyz`. */
export interface ReadinessAnswer {
  status: string
  reasons: Told[]
  warnings: Told[]
}

export const readiness = async (rest: Rest): Promise<ReadinessAnswer> =>
  (await rest.send<ReadinessAnswer>('GET', '/readyz')).body

export const codes = (list: readonly { code: string }[] = []): string[] => list.map(({ code }) => code)
