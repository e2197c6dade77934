import { useBasicAuthentication } from '../conventions/authentication.ts'
import type { Family } from '../conventions/family.ts'
import { useIdempotency } from '../conventions/idempotency.ts'
import { useNoStore } from '../conventions/no-store.ts'
import { useOperations } from '../conventions/operation.ts'
import { useSessions, useSignIn, useSignInLinks } from '../conventions/sessions-only.ts'
import { liveRoomOperations } from './live-rooms.ts'
import { meOperations } from './me.ts'
import { newsRoute } from './news.ts'
import { overviewOperations } from './overview.ts'
import { ownAccountOperations } from './own-account.ts'
import { recordingOperations } from './recordings.ts'
import { liveRequestsRoute, requestOperations } from './requests.ts'
import { roomSearchOperations } from './rooms.ts'
import { serverOperations } from './server.ts'
import { liveLogRoute, serverStateOperations } from './server-state.ts'
import { signInOperations, signOutOperations } from './session.ts'
import { sessionOperations } from './sessions.ts'
import { signInLinkOperations } from './sign-in-link.ts'
import { streamOperations } from './streams.ts'

/** `/api/dashboard`: what the dashboard needs besides the API of rooms. A scope of the application for each kind of credentials. */
export const dashboardFamily: Family = async (app, options) => {
  useNoStore(app)
  await app.register(async (scope) => {
    useBasicAuthentication(scope, options, 'video')
    useIdempotency(scope, options.services.keptAnswers)
    useOperations(scope, options, [
      ...meOperations,
      ...overviewOperations,
      ...recordingOperations,
      ...sessionOperations,
      ...roomSearchOperations,
      ...liveRoomOperations,
      ...streamOperations,
    ])
    newsRoute(scope, options.services)
  })
  await app.register(async (scope) => {
    useBasicAuthentication(scope, options, 'management')
    useIdempotency(scope, options.services.keptAnswers)
    useOperations(scope, options, [...requestOperations, ...serverOperations, ...serverStateOperations])
    liveRequestsRoute(scope, options.services)
    liveLogRoute(scope, options.services)
  })
  await app.register(async (scope) => {
    useSignIn(scope, options)
    useOperations(scope, options, signInOperations)
  })
  await app.register(async (scope) => {
    useSessions(scope, options)
    useOperations(scope, options, [...signOutOperations, ...ownAccountOperations])
  })
  await app.register(async (scope) => {
    useSignInLinks(scope, options)
    useOperations(scope, options, signInLinkOperations)
  })
}
