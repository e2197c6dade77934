import type { ComponentProps } from 'react'
import { TooltipProvider } from '../ui/tooltip.tsx'
import { MeetingScreen } from './meeting-screen.tsx'

/** The meeting screen with what its controls share. */
export function MeetingRoom(props: ComponentProps<typeof MeetingScreen>) {
  return (
    <TooltipProvider>
      <MeetingScreen {...props} />
    </TooltipProvider>
  )
}
