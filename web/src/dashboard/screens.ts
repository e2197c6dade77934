import {
  CircleUserRound,
  Clapperboard,
  DoorOpen,
  Gauge,
  History,
  KeyRound,
  ListTree,
  type LucideIcon,
  MonitorPlay,
  Presentation,
  Radio,
  ScrollText,
  Server,
  SquareTerminal,
  Users,
} from 'lucide-react'
import { type ComponentType, type LazyExoticComponent, lazy } from 'react'
import type { Right } from '../api/http.ts'
import { useRights } from '../api/signed-in-access.ts'
import type { TextId } from '../languages/catalogs.ts'
import { loadTexts } from '../languages/current-language.ts'
import { screenHref } from './addresses.ts'

/** A screen of the dashboard. Each has a folder of its own, and is loaded when it is opened. */
interface DashboardScreen {
  /** Its address below `/dashboard`; empty for the first one. */
  path: string
  /** The addresses below it that it shows too, in the form of wouter; by default there are none. */
  below?: string
  title: TextId
  icon: LucideIcon
  /** What people need to be allowed to see it; by default they need only be signed in. */
  needs?: Right
  Screen: LazyExoticComponent<ComponentType>
}

/** Every screen, in the order of the navigation. A new one needs a line here. */
export const SCREENS: readonly DashboardScreen[] = [
  {
    path: '',
    title: 'dashboard.overview',
    icon: Gauge,
    Screen: lazy(async () => {
      const [{ OverviewScreen }] = await Promise.all([
        import('./overview/overview-screen.tsx'),
        loadTexts('dashboard', 'errors', 'host'),
      ])
      return { default: OverviewScreen }
    }),
  },
  {
    path: 'live',
    below: ':id',
    title: 'dashboard.live',
    icon: MonitorPlay,
    Screen: lazy(async () => {
      const [{ LiveScreen }] = await Promise.all([
        import('./live/live-screen.tsx'),
        loadTexts('live', 'meeting', 'errors', 'host'),
      ])
      return { default: LiveScreen }
    }),
  },
  {
    path: 'rooms',
    below: ':id',
    title: 'dashboard.rooms',
    icon: DoorOpen,
    Screen: lazy(async () => {
      const [{ RoomsScreen }] = await Promise.all([
        import('./rooms/rooms-screen.tsx'),
        loadTexts('dashboard', 'rooms', 'errors', 'host', 'meeting'),
      ])
      return { default: RoomsScreen }
    }),
  },
  {
    path: 'conferences',
    below: ':id',
    title: 'dashboard.conferences',
    icon: Presentation,
    Screen: lazy(async () => {
      const [{ ConferencesScreen }] = await Promise.all([
        import('./rooms/rooms-screen.tsx'),
        loadTexts('dashboard', 'rooms', 'errors', 'host', 'meeting'),
      ])
      return { default: ConferencesScreen }
    }),
  },
  {
    path: 'sessions',
    below: ':id',
    title: 'dashboard.sessions',
    icon: History,
    Screen: lazy(async () => {
      const [{ SessionsScreen }] = await Promise.all([
        import('./sessions/sessions-screen.tsx'),
        loadTexts('dashboard', 'errors', 'host'),
      ])
      return { default: SessionsScreen }
    }),
  },
  {
    path: 'recordings',
    below: ':id',
    title: 'dashboard.recording-now',
    icon: Clapperboard,
    Screen: lazy(async () => {
      const [{ RecordingsScreen }] = await Promise.all([
        import('./recordings/recordings-screen.tsx'),
        loadTexts('recordings', 'dashboard', 'errors', 'host'),
      ])
      return { default: RecordingsScreen }
    }),
  },
  {
    path: 'streams',
    title: 'dashboard.streams',
    icon: Radio,
    Screen: lazy(async () => {
      const [{ StreamsScreen }] = await Promise.all([
        import('./streams/streams-screen.tsx'),
        loadTexts('live', 'errors', 'host'),
      ])
      return { default: StreamsScreen }
    }),
  },
  {
    path: 'api-tokens',
    title: 'dashboard.api-tokens',
    icon: KeyRound,
    needs: 'administer',
    Screen: lazy(async () => {
      const [{ ApiTokensScreen }] = await Promise.all([
        import('./accounts/api-tokens-screen.tsx'),
        loadTexts('accounts', 'errors', 'host'),
      ])
      return { default: ApiTokensScreen }
    }),
  },
  {
    path: 'requests',
    title: 'dashboard.requests',
    icon: ListTree,
    needs: 'administer',
    Screen: lazy(async () => {
      const [{ RequestsScreen }] = await Promise.all([
        import('./requests/requests-screen.tsx'),
        loadTexts('developers', 'dashboard', 'accounts', 'errors'),
      ])
      return { default: RequestsScreen }
    }),
  },
  {
    path: 'console',
    title: 'dashboard.console',
    icon: SquareTerminal,
    Screen: lazy(async () => {
      const [{ ConsoleScreen }] = await Promise.all([
        import('./console/console-screen.tsx'),
        loadTexts('developers', 'dashboard', 'errors'),
      ])
      return { default: ConsoleScreen }
    }),
  },
  {
    path: 'users',
    title: 'dashboard.users',
    icon: Users,
    needs: 'administer',
    Screen: lazy(async () => {
      const [{ UsersScreen }] = await Promise.all([
        import('./accounts/users-screen.tsx'),
        loadTexts('accounts', 'errors', 'host'),
      ])
      return { default: UsersScreen }
    }),
  },
  {
    path: 'audit-log',
    title: 'dashboard.audit-log',
    icon: ScrollText,
    needs: 'administer',
    Screen: lazy(async () => {
      const [{ AuditLogScreen }] = await Promise.all([
        import('./accounts/audit-log-screen.tsx'),
        loadTexts('accounts', 'errors', 'host'),
      ])
      return { default: AuditLogScreen }
    }),
  },
  {
    path: 'server',
    title: 'dashboard.server',
    icon: Server,
    needs: 'administer',
    Screen: lazy(async () => {
      const [{ ServerScreen }] = await Promise.all([
        import('./server/server-screen.tsx'),
        loadTexts('server', 'dashboard', 'errors', 'host'),
      ])
      return { default: ServerScreen }
    }),
  },
  {
    path: 'account',
    title: 'dashboard.account',
    icon: CircleUserRound,
    Screen: lazy(async () => {
      const [{ AccountScreen }] = await Promise.all([
        import('./accounts/account-screen.tsx'),
        loadTexts('accounts', 'errors', 'host'),
      ])
      return { default: AccountScreen }
    }),
  },
]

/** The addresses that a screen shows, in the form of wouter. */
export const screenPattern = ({ path, below }: DashboardScreen): string =>
  below === undefined ? screenHref(path) : `${screenHref(path)}/${below}?`

/** The screens that the person may see, in the order of the navigation. */
export function useScreens(): readonly DashboardScreen[] {
  const rights = useRights()
  return SCREENS.filter(({ needs = 'read' }) => rights.includes(needs))
}
