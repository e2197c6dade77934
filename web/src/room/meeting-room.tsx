import { Direction } from 'radix-ui'
import type { ComponentProps } from 'react'
import { currentDirection } from '../languages/current-language.ts'
import { TooltipProvider } from '../ui/tooltip.tsx'
import { MeetingScreen } from './meeting-screen.tsx'

/** The meeting screen with what its controls share. */
export function MeetingRoom(props: ComponentProps<typeof MeetingScreen>) {
  return (
    <Direction.Provider dir={currentDirection()}>
      <TooltipProvider>
        <MeetingScreen {...props} />
      </TooltipProvider>
    </Direction.Provider>
  )
}
