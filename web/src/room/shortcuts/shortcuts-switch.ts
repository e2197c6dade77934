import { useSyncExternalStore } from 'react'
import { readStored, writeStored } from '../../browser-storage.ts'

const storageKey = 'parley.shortcuts'
const listeners = new Set<() => void>()

/** Whether single keys act (WCAG 2.1.4). The device remembers it. */
export const areShortcutsOn = (): boolean => readStored('device', storageKey) !== 'off'

/** Turns single keys on or off, on this device. */
export function switchShortcuts(isOn: boolean): void {
  writeStored('device', storageKey, isOn ? null : 'off')
  for (const listener of listeners) listener()
}

/** Follows the switch. */
export function useShortcutsOn(): boolean {
  return useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, areShortcutsOn)
}
