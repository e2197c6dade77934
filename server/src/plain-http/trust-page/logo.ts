import { raw } from './html.ts'

/** The logo: two voices side by side, as in `web/public/favicon.svg`. */
export const LOGO = raw(
  '<svg viewBox="0 0 32 32" width="36" height="36" aria-hidden="true"><rect width="32" height="32" rx="9" fill="#0b7a75"/>' +
    '<path d="M7 11.5A3.5 3.5 0 0 1 10.500 8h7A3.5 3.5 0 0 1 21 11.5v4a3.500 3.500 0 0 1-3.500 3.500H12l-3.700 3.100c-.5.4-1.300.1-1.300-.6z" fill="#fff"/>' +
    '<path d="M23 13.200c1.200.5 2 1.600 2 2.900v7.400c0 .7-.8 1.100-1.300.7L20.600 22H16a3.100 3.100 0 0 1-2.600-1.400h4.300A5.300 5.300 0 0 0 23 15.300z" fill="#9fe3dc"/></svg>',
)
