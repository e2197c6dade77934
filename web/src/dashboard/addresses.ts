/** Where the dashboard begins. */
export const DASHBOARD = '/dashboard'

/** The address of a screen. */
export const screenHref = (path: string): string => (path === '' ? DASHBOARD : `${DASHBOARD}/${path}`)
