import { useEffect, useState } from 'react'
import { assureOwnServer, ForeignServer } from './own-server.ts'

export type OwnServer = { is: 'asking' } | { is: 'own' } | { is: 'foreign'; host: string | null }

/** Whether a token leads to the server of this page. Nothing is sent to the server that the token names. */
export function useOwnServer(token: string): OwnServer {
  const [answer, setAnswer] = useState<OwnServer>({ is: 'asking' })
  useEffect(() => {
    let current = true
    const take = (next: OwnServer) => current && setAnswer(next)
    assureOwnServer(token).then(
      () => take({ is: 'own' }),
      (error: unknown) => take({ is: 'foreign', host: error instanceof ForeignServer ? error.host : null }),
    )
    return () => {
      current = false
    }
  }, [token])
  return answer
}
